== expressions used once
SELECT x * 2 AS y FROM (SELECT a + b AS x FROM t);
--
Project [(a + b) * 2 AS y]
  Scan t [a, b, c, n]

== an expression used twice is computed once
SELECT x * x AS y FROM (SELECT a + b AS x FROM t);
--
Project [x * x AS y]
  Project [a + b AS x]
    Scan t [a, b, c, n]

== selections below other nodes go
SELECT sum(a) AS s FROM (SELECT a FROM t WHERE b = 1);
--
Project [sum(a) AS s]
  Aggregate [sum(a) AS sum(a)]
    Filter b = 1
      Scan t [a, b, c, n]
