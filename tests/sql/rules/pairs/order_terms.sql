== selective terms first, dear ones later
SELECT m FROM fact WHERE m > 10 AND f1 = 3;
--
SELECT m FROM fact WHERE f1 = 3 AND m > 10;

== what can raise comes last, in its order
SELECT a FROM t WHERE 10 // b = 1 AND 20 // b = 2 AND b <> 0;
--
SELECT a FROM t WHERE b <> 0 AND 10 // b = 1 AND 20 // b = 2;
