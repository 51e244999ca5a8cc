== a term that all alternatives have
SELECT a FROM t WHERE (a = 1 AND b = 2) OR (a = 1 AND b > 3);
--
SELECT a FROM t WHERE a = 1 AND (b = 2 OR b > 3);

== an alternative that is the common term
SELECT a FROM t WHERE a = 1 OR (a = 1 AND b > 3);
--
SELECT a FROM t WHERE a = 1;

== each relation is told its part
SELECT t.a FROM t, u WHERE (t.b = 1 AND u.d = 5) OR (t.b = 2 AND u.d > 7);
--
SELECT t.a FROM t, u WHERE ((t.b = 1 AND u.d = 5) OR (t.b = 2 AND u.d > 7)) AND t.b IN (1, 2) AND (u.d = 5 OR u.d > 7);

== an alternative that says nothing of a relation
SELECT t.a FROM t, u WHERE (t.b = 1 AND u.d = 5) OR u.d > 7;
--
SELECT t.a FROM t, u WHERE ((t.b = 1 AND u.d = 5) OR u.d > 7) AND (u.d = 5 OR u.d > 7);

== what can raise is not repeated
SELECT t.a FROM t, u WHERE (10 // t.b = 1 AND u.d = 5) OR (10 // t.b = 2 AND u.d = 7);
--
SELECT t.a FROM t, u WHERE ((10 // t.b = 1 AND u.d = 5) OR (10 // t.b = 2 AND u.d = 7)) AND u.d IN (5, 7);
