== small relations are built first, the largest is probed
SELECT fact.m FROM dim1, fact, dim2 WHERE dim1.k1 = fact.f1 AND dim2.k2 = fact.f2 AND dim2.p2 = 7;
--
Project [m]
  InnerJoin on f1 = k1
    InnerJoin on f2 = k2
      Scan fact [f1, f2, m]
      Filter p2 = 7
        Scan dim2 [k2, p2]
    Scan dim1 [k1, p1]

== equal columns connect relations that no condition names together
SELECT fact.m FROM fact, dim1, tiny WHERE fact.f1 = dim1.k1 AND fact.f1 = tiny.z;
--
Project [m]
  InnerJoin on f1 = z
    Scan fact [f1, f2, m]
    InnerJoin on k1 = z
      Scan dim1 [k1, p1]
      Scan tiny [z]

== relations without a condition are multiplied last
SELECT fact.m FROM tiny, fact, dim1 WHERE fact.f1 = dim1.k1;
--
Project [m]
  CrossJoin
    InnerJoin on f1 = k1
      Scan fact [f1, f2, m]
      Scan dim1 [k1, p1]
    Scan tiny [z]

== two equal columns of one relation
SELECT fact.m FROM fact, dim1, dim2 WHERE fact.f1 = dim1.k1 AND dim1.p1 = fact.f1 AND fact.f2 = dim2.k2;
--
Project [m]
  InnerJoin on f2 = k2
    InnerJoin on f1 = p1
      Scan fact [f1, f2, m]
      Filter k1 = p1
        Scan dim1 [k1, p1]
    Scan dim2 [k2, p2]

== an equality that can raise is a key where nothing else connects the sides
SELECT fact.m FROM fact, dim1, dim2 WHERE 10 // fact.f1 = dim1.k1 AND 10 // fact.m = dim1.p1 AND fact.f2 = dim2.k2;
--
Project [m]
  Filter 10 // m = p1
    InnerJoin on 10 // f1 = k1
      InnerJoin on f2 = k2
        Scan fact [f1, f2, m]
        Scan dim2 [k2, p2]
      Scan dim1 [k1, p1]
