"""The substitution parameters of TPC-H's 22 queries (section 2.4 of its specification)."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from random import Random
from types import MappingProxyType

from headrace.tpch.suite import Parameters, Query

REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
NATIONS = MappingProxyType(
    {
        "ALGERIA": "AFRICA",
        "ARGENTINA": "AMERICA",
        "BRAZIL": "AMERICA",
        "CANADA": "AMERICA",
        "EGYPT": "MIDDLE EAST",
        "ETHIOPIA": "AFRICA",
        "FRANCE": "EUROPE",
        "GERMANY": "EUROPE",
        "INDIA": "ASIA",
        "INDONESIA": "ASIA",
        "IRAN": "MIDDLE EAST",
        "IRAQ": "MIDDLE EAST",
        "JAPAN": "ASIA",
        "JORDAN": "MIDDLE EAST",
        "KENYA": "AFRICA",
        "MOROCCO": "AFRICA",
        "MOZAMBIQUE": "AFRICA",
        "PERU": "AMERICA",
        "CHINA": "ASIA",
        "ROMANIA": "EUROPE",
        "SAUDI ARABIA": "MIDDLE EAST",
        "VIETNAM": "ASIA",
        "RUSSIA": "EUROPE",
        "UNITED KINGDOM": "EUROPE",
        "UNITED STATES": "AMERICA",
    }
)
SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD")
MODES = ("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB")
TYPES = (
    ("STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"),
    ("ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"),
    ("TIN", "NICKEL", "BRASS", "STEEL", "COPPER"),
)
CONTAINERS = (
    ("SM", "LG", "MED", "JUMBO", "WRAP"),
    ("CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM"),
)
# fmt: off
COLORS = (
    "almond", "antique", "aquamarine", "azure", "beige", "bisque", "black", "blanched", "blue", "blush",
    "brown", "burlywood", "burnished", "chartreuse", "chiffon", "chocolate", "coral", "cornflower",
    "cornsilk", "cream", "cyan", "dark", "deep", "dim", "dodger", "drab", "firebrick", "floral", "forest",
    "frosted", "gainsboro", "ghost", "goldenrod", "green", "grey", "honeydew", "hot", "indian", "ivory",
    "khaki", "lace", "lavender", "lawn", "lemon", "light", "lime", "linen", "magenta", "maroon", "medium",
    "metallic", "midnight", "mint", "misty", "moccasin", "navajo", "navy", "olive", "orange", "orchid",
    "pale", "papaya", "peach", "peru", "pink", "plum", "powder", "puff", "purple", "red", "rose", "rosy",
    "royal", "saddle", "salmon", "sandy", "seashell", "sienna", "sky", "slate", "smoke", "snow", "spring",
    "steel", "tan", "thistle", "tomato", "turquoise", "violet", "wheat", "white", "yellow",
)
# fmt: on
COMPLAINTS = (("special", "pending", "unusual", "express"), ("packages", "requests", "accounts", "deposits"))
COUNTRY_CODES = tuple(str(code) for code in range(10, 10 + len(NATIONS)))


def draw(query: Query, scale: float, seed: int | None) -> Parameters:
    """The parameters of one query: the validation values for seed None, else drawn."""
    if seed is None:
        values = dict(VALIDATION[query.name])
    else:
        # Text seeds are hashed by Random itself, alike in every process, so queries draw independently.
        values = DRAWS[query.name](Random(f"tpch {query.name} {seed}"))
    if query.name == "11":
        # The fraction is divided by the scale factor, so that the result keeps its size.
        fraction = Decimal("0.0001") / Decimal(str(scale))
        values["fraction"] = f"{fraction:.12f}".rstrip("0")
    return values


def _first_of_month(random: Random, first: tuple[int, int], last: tuple[int, int]) -> str:
    """The first day of a month between two (year, month) pairs, both included."""
    month = random.randint(first[0] * 12 + first[1] - 1, last[0] * 12 + last[1] - 1)
    return f"{month // 12}-{month % 12 + 1:02d}-01"


def _new_year(random: Random) -> str:
    return f"{random.randint(1993, 1997)}-01-01"


def _brand(random: Random) -> str:
    return f"Brand#{random.randint(1, 5)}{random.randint(1, 5)}"


def _syllables(random: Random, lists: tuple[tuple[str, ...], ...]) -> str:
    return " ".join(random.choice(syllables) for syllables in lists)


def _nation(random: Random) -> str:
    return random.choice(tuple(NATIONS))


def _q1(random: Random) -> dict[str, str]:
    return {"delta": str(random.randint(60, 120))}


def _q2(random: Random) -> dict[str, str]:
    return {
        "size": str(random.randint(1, 50)),
        "type": random.choice(TYPES[2]),
        "region": random.choice(REGIONS),
    }


def _q3(random: Random) -> dict[str, str]:
    date = datetime.date(1995, 3, random.randint(1, 31))
    return {"segment": random.choice(SEGMENTS), "date": date.isoformat()}


def _q4(random: Random) -> dict[str, str]:
    return {"date": _first_of_month(random, (1993, 1), (1997, 10))}


def _q5(random: Random) -> dict[str, str]:
    return {"region": random.choice(REGIONS), "date": _new_year(random)}


def _q6(random: Random) -> dict[str, str]:
    return {
        "date": _new_year(random),
        "discount": f"0.0{random.randint(2, 9)}",
        "quantity": str(random.randint(24, 25)),
    }


def _q7(random: Random) -> dict[str, str]:
    first, second = random.sample(tuple(NATIONS), 2)
    return {"nation1": first, "nation2": second}


def _q8(random: Random) -> dict[str, str]:
    nation = _nation(random)
    return {"nation": nation, "region": NATIONS[nation], "type": _syllables(random, TYPES)}


def _q9(random: Random) -> dict[str, str]:
    return {"color": random.choice(COLORS)}


def _q10(random: Random) -> dict[str, str]:
    return {"date": _first_of_month(random, (1993, 2), (1995, 1))}


def _q11(random: Random) -> dict[str, str]:
    return {"nation": _nation(random)}


def _q12(random: Random) -> dict[str, str]:
    first, second = random.sample(MODES, 2)
    return {"shipmode1": first, "shipmode2": second, "date": _new_year(random)}


def _q13(random: Random) -> dict[str, str]:
    return {"word1": random.choice(COMPLAINTS[0]), "word2": random.choice(COMPLAINTS[1])}


def _q14(random: Random) -> dict[str, str]:
    return {"date": _first_of_month(random, (1993, 1), (1997, 12))}


def _q15(random: Random) -> dict[str, str]:
    return {"date": _first_of_month(random, (1993, 1), (1997, 10))}


def _q16(random: Random) -> dict[str, str]:
    sizes = random.sample(range(1, 51), 8)
    return {
        "brand": _brand(random),
        "type": _syllables(random, TYPES[:2]),
        **{f"size{k}": str(size) for k, size in enumerate(sizes, 1)},
    }


def _q17(random: Random) -> dict[str, str]:
    return {"brand": _brand(random), "container": _syllables(random, CONTAINERS)}


def _q18(random: Random) -> dict[str, str]:
    return {"quantity": str(random.randint(312, 315))}


def _q19(random: Random) -> dict[str, str]:
    return {
        "quantity1": str(random.randint(1, 10)),
        "quantity2": str(random.randint(10, 20)),
        "quantity3": str(random.randint(20, 30)),
        **{f"brand{k}": _brand(random) for k in (1, 2, 3)},
    }


def _q20(random: Random) -> dict[str, str]:
    return {"color": random.choice(COLORS), "date": _new_year(random), "nation": _nation(random)}


def _q21(random: Random) -> dict[str, str]:
    return {"nation": _nation(random)}


def _q22(random: Random) -> dict[str, str]:
    return {f"code{k}": code for k, code in enumerate(random.sample(COUNTRY_CODES, 7), 1)}


DRAWS: MappingProxyType[str, Callable[[Random], dict[str, str]]] = MappingProxyType(
    {
        str(number): function
        for number, function in enumerate(
            (
                *(_q1, _q2, _q3, _q4, _q5, _q6, _q7, _q8, _q9, _q10, _q11),
                *(_q12, _q13, _q14, _q15, _q16, _q17, _q18, _q19, _q20, _q21, _q22),
            ),
            1,
        )
    }
)

VALIDATION: MappingProxyType[str, dict[str, str]] = MappingProxyType(
    {
        "1": {"delta": "90"},
        "2": {"size": "15", "type": "BRASS", "region": "EUROPE"},
        "3": {"segment": "BUILDING", "date": "1995-03-15"},
        "4": {"date": "1993-07-01"},
        "5": {"region": "ASIA", "date": "1994-01-01"},
        "6": {"date": "1994-01-01", "discount": "0.06", "quantity": "24"},
        "7": {"nation1": "FRANCE", "nation2": "GERMANY"},
        "8": {"nation": "BRAZIL", "region": "AMERICA", "type": "ECONOMY ANODIZED STEEL"},
        "9": {"color": "green"},
        "10": {"date": "1993-10-01"},
        "11": {"nation": "GERMANY"},
        "12": {"shipmode1": "MAIL", "shipmode2": "SHIP", "date": "1994-01-01"},
        "13": {"word1": "special", "word2": "requests"},
        "14": {"date": "1995-09-01"},
        "15": {"date": "1996-01-01"},
        "16": {
            "brand": "Brand#45",
            "type": "MEDIUM POLISHED",
            **{f"size{k}": str(size) for k, size in enumerate((49, 14, 23, 45, 19, 3, 36, 9), 1)},
        },
        "17": {"brand": "Brand#23", "container": "MED BOX"},
        "18": {"quantity": "300"},
        "19": {
            "quantity1": "1",
            "quantity2": "10",
            "quantity3": "20",
            "brand1": "Brand#12",
            "brand2": "Brand#23",
            "brand3": "Brand#34",
        },
        "20": {"color": "forest", "date": "1994-01-01", "nation": "CANADA"},
        "21": {"nation": "SAUDI ARABIA"},
        "22": {f"code{k}": code for k, code in enumerate(("13", "31", "23", "29", "30", "18", "17"), 1)},
    }
)
