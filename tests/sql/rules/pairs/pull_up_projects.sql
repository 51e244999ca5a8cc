== a derived table of a join
SELECT x.y, v.e FROM (SELECT t.a AS k, coalesce(t.b, u.d) AS y FROM t JOIN u ON t.a = u.a) x JOIN v ON x.k = v.e;
--
Project [y, e]
  Project [a AS k, coalesce(b, d) AS y, e]
    InnerJoin on a = e
      InnerJoin on a = a
        Scan t [a, b, c, n]
        Scan u [a, d]
      Scan v [e]

== what can raise stays below
SELECT x.y FROM (SELECT t.a AS k, 10 // t.b AS y FROM t JOIN u ON t.a = u.a) x JOIN v ON x.k = v.e;
--
Project [y]
  InnerJoin on k = e
    Project [a AS k, 10 // b AS y]
      InnerJoin on a = a
        Scan t [a, b, c, n]
        Scan u [a, d]
    Scan v [e]
