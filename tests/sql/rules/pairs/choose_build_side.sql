== the smaller side is built
SELECT fact.m FROM dim1, fact WHERE dim1.k1 = fact.f1;
--
Project [m]
  InnerJoin on f1 = k1
    Scan fact [f1, f2, m]
    Scan dim1 [k1, p1]

== an outer join has its sides
SELECT fact.m FROM dim1 LEFT JOIN fact ON dim1.k1 = fact.f1;
--
Project [m]
  LeftJoin on k1 = f1
    Scan dim1 [k1, p1]
    Scan fact [f1, f2, m]
