== below an aggregate
SELECT sum(a) AS s FROM (SELECT a FROM t ORDER BY b);
--
SELECT sum(a) AS s FROM (SELECT a FROM t);

== with a limit the order counts
SELECT sum(a) AS s FROM (SELECT a FROM t ORDER BY a LIMIT 3);
--
SELECT sum(a) AS s FROM (SELECT a FROM t ORDER BY a LIMIT 3);
