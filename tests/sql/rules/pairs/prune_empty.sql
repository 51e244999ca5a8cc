== a join with nothing
SELECT t.b FROM t JOIN u ON t.a = u.a AND 1 = 2 WHERE u.d < NULL;
--
Values no rows [b]

== an outer join with nothing
SELECT t.b, x.d FROM t LEFT JOIN (SELECT * FROM u WHERE 1 = 2) x ON t.a = x.a;
--
Project [b, d]
  Project [a, b, c, n, NULL AS a, NULL AS d]
    Scan t [a, b, c, n]

== LIMIT 0
SELECT a FROM t LIMIT 0;
--
Values no rows [a]

== an aggregate of nothing still has a row
SELECT count(*) AS x FROM t WHERE 1 = 2;
--
Project [count_star() AS x]
  Aggregate [count(*) AS count_star()]
    Values no rows [a, b, c, n]

== groups of nothing
SELECT a, count(*) AS x FROM t WHERE 1 = 2 GROUP BY a;
--
Values no rows [a, x]
