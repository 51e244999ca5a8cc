== a wider integer
SELECT a FROM t WHERE CAST(a AS BIGINT) < CAST(5 AS BIGINT);
--
SELECT a FROM t WHERE a < 5;

== a value between those of the column
SELECT a FROM t WHERE a < 5.5 AND a >= 5.5;
--
SELECT a FROM t WHERE a <= 5 AND a > 5;

== a constant outside the column's type stays
SELECT a FROM t WHERE CAST(a AS BIGINT) < 3000000000;
--
SELECT a FROM t WHERE CAST(a AS BIGINT) < 3000000000;

== IN drops what cannot be
SELECT a FROM t WHERE CAST(a AS BIGINT) IN (CAST(1 AS BIGINT), 3000000000);
--
SELECT a FROM t WHERE a = 1;

== a narrowing cast stays
SELECT a FROM t WHERE CAST(a AS TINYINT) < CAST(5 AS TINYINT);
--
SELECT a FROM t WHERE CAST(a AS TINYINT) < CAST(5 AS TINYINT);
