== below a projection
SELECT a + 1 AS x FROM t LIMIT 3;
--
Project [a + 1 AS x]
  Limit 3
    Scan t [a, b, c, n]

== a limit of a limit
SELECT a FROM (SELECT a FROM t LIMIT 5 OFFSET 2) LIMIT 4 OFFSET 3;
--
Project [a]
  Project [a]
    Limit 2 offset 5
      Scan t [a, b, c, n]
