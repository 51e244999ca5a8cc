== a constant through a chain of equalities
SELECT t.b FROM t, u, v WHERE t.a = u.a AND u.a = v.e AND t.a = 5;
--
Project [b]
  InnerJoin on a = e
    InnerJoin on a = a
      Filter a = 5
        Scan t [a, b, c, n]
      Filter a = 5
        Scan u [a, d]
    Filter e = 5
      Scan v [e]

== a range and a list
SELECT t.b FROM t, u WHERE t.a = u.a AND t.a < 5 AND u.a IN (1, 2);
--
Project [b]
  InnerJoin on a = a
    Filter a < 5 AND a IN (1, 2)
      Scan t [a, b, c, n]
    Filter a IN (1, 2) AND a < 5
      Scan u [a, d]

== to the other side of an outer join, not back
SELECT t.b FROM t LEFT JOIN u ON t.a = u.a AND u.a < 9 WHERE t.a > 5;
--
Project [b]
  LeftJoin on a = a
    Filter a > 5
      Scan t [a, b, c, n]
    Filter a < 9 AND a > 5
      Scan u [a, d]

== through derived tables and group keys
SELECT x.k FROM (SELECT a AS k FROM t WHERE a > 3 GROUP BY a) x JOIN u ON x.k = u.a;
--
Project [k]
  InnerJoin on k = a
    Project [a AS k]
      Aggregate by [a]
        Filter a > 3
          Scan t [a, b, c, n]
    Filter a > 3
      Scan u [a, d]
