"""Upper case of single code points: the simple mappings of Unicode, as runs of equal distance."""

from __future__ import annotations

from headrace.kernels.primitives import u64
from headrace.kernels.registry import body


@body
def upper_latin(code: int) -> int:
    if code == u64(0xB5):
        return code + u64(743)
    if code == u64(0xDF):
        return code + u64(7615)
    if u64(0xE0) <= code <= u64(0xF6):
        return code - u64(32)
    if u64(0xF8) <= code <= u64(0xFE):
        return code - u64(32)
    if code == u64(0xFF):
        return code + u64(121)
    if u64(0x101) <= code <= u64(0x12F) and code & u64(1) == u64(1):
        return code - u64(1)
    if code == u64(0x131):
        return code - u64(232)
    if u64(0x133) <= code <= u64(0x137) and code & u64(1) == u64(1):
        return code - u64(1)
    if u64(0x13A) <= code <= u64(0x148) and code & u64(1) == u64(0):
        return code - u64(1)
    if u64(0x14B) <= code <= u64(0x177) and code & u64(1) == u64(1):
        return code - u64(1)
    if u64(0x17A) <= code <= u64(0x17E) and code & u64(1) == u64(0):
        return code - u64(1)
    if code == u64(0x17F):
        return code - u64(300)
    return code


@body
def upper_extended_latin(code: int) -> int:
    if code == u64(0x180):
        return code + u64(195)
    if u64(0x183) <= code <= u64(0x185) and code & u64(1) == u64(1):
        return code - u64(1)
    if code == u64(0x188):
        return code - u64(1)
    if code == u64(0x18C):
        return code - u64(1)
    if code == u64(0x192):
        return code - u64(1)
    if code == u64(0x195):
        return code + u64(97)
    if code == u64(0x199):
        return code - u64(1)
    if code == u64(0x19A):
        return code + u64(163)
    if code == u64(0x19E):
        return code + u64(130)
    if u64(0x1A1) <= code <= u64(0x1A5) and code & u64(1) == u64(1):
        return code - u64(1)
    if code == u64(0x1A8):
        return code - u64(1)
    if code == u64(0x1AD):
        return code - u64(1)
    if code == u64(0x1B0):
        return code - u64(1)
    if u64(0x1B4) <= code <= u64(0x1B6) and code & u64(1) == u64(0):
        return code - u64(1)
    if code == u64(0x1B9):
        return code - u64(1)
    if code == u64(0x1BD):
        return code - u64(1)
    if code == u64(0x1BF):
        return code + u64(56)
    if code == u64(0x1C5):
        return code - u64(1)
    if code == u64(0x1C6):
        return code - u64(2)
    if code == u64(0x1C8):
        return code - u64(1)
    if code == u64(0x1C9):
        return code - u64(2)
    if code == u64(0x1CB):
        return code - u64(1)
    if code == u64(0x1CC):
        return code - u64(2)
    if u64(0x1CE) <= code <= u64(0x1DC) and code & u64(1) == u64(0):
        return code - u64(1)
    if code == u64(0x1DD):
        return code - u64(79)
    if u64(0x1DF) <= code <= u64(0x1EF) and code & u64(1) == u64(1):
        return code - u64(1)
    if code == u64(0x1F2):
        return code - u64(1)
    if code == u64(0x1F3):
        return code - u64(2)
    if code == u64(0x1F5):
        return code - u64(1)
    if u64(0x1F9) <= code <= u64(0x21F) and code & u64(1) == u64(1):
        return code - u64(1)
    if u64(0x223) <= code <= u64(0x233) and code & u64(1) == u64(1):
        return code - u64(1)
    if code == u64(0x23C):
        return code - u64(1)
    if u64(0x23F) <= code <= u64(0x240):
        return code + u64(10815)
    if code == u64(0x242):
        return code - u64(1)
    if u64(0x247) <= code <= u64(0x24F) and code & u64(1) == u64(1):
        return code - u64(1)
    return code


@body
def upper_phonetic(code: int) -> int:
    if code == u64(0x250):
        return code + u64(10783)
    if code == u64(0x251):
        return code + u64(10780)
    if code == u64(0x252):
        return code + u64(10782)
    if code == u64(0x253):
        return code - u64(210)
    if code == u64(0x254):
        return code - u64(206)
    if u64(0x256) <= code <= u64(0x257):
        return code - u64(205)
    if code == u64(0x259):
        return code - u64(202)
    if code == u64(0x25B):
        return code - u64(203)
    if code == u64(0x25C):
        return code + u64(42319)
    if code == u64(0x260):
        return code - u64(205)
    if code == u64(0x261):
        return code + u64(42315)
    if code == u64(0x263):
        return code - u64(207)
    if code == u64(0x265):
        return code + u64(42280)
    if code == u64(0x266):
        return code + u64(42308)
    if code == u64(0x268):
        return code - u64(209)
    if code == u64(0x269):
        return code - u64(211)
    if code == u64(0x26A):
        return code + u64(42308)
    if code == u64(0x26B):
        return code + u64(10743)
    if code == u64(0x26C):
        return code + u64(42305)
    if code == u64(0x26F):
        return code - u64(211)
    if code == u64(0x271):
        return code + u64(10749)
    if code == u64(0x272):
        return code - u64(213)
    if code == u64(0x275):
        return code - u64(214)
    if code == u64(0x27D):
        return code + u64(10727)
    if code == u64(0x280):
        return code - u64(218)
    if code == u64(0x282):
        return code + u64(42307)
    if code == u64(0x283):
        return code - u64(218)
    if code == u64(0x287):
        return code + u64(42282)
    if code == u64(0x288):
        return code - u64(218)
    if code == u64(0x289):
        return code - u64(69)
    if u64(0x28A) <= code <= u64(0x28B):
        return code - u64(217)
    if code == u64(0x28C):
        return code - u64(71)
    if code == u64(0x292):
        return code - u64(219)
    if code == u64(0x29D):
        return code + u64(42261)
    if code == u64(0x29E):
        return code + u64(42258)
    if code == u64(0x345):
        return code + u64(84)
    return code


@body
def upper_greek_and_cyrillic(code: int) -> int:
    if u64(0x371) <= code <= u64(0x373) and code & u64(1) == u64(1):
        return code - u64(1)
    if code == u64(0x377):
        return code - u64(1)
    if u64(0x37B) <= code <= u64(0x37D):
        return code + u64(130)
    if code == u64(0x3AC):
        return code - u64(38)
    if u64(0x3AD) <= code <= u64(0x3AF):
        return code - u64(37)
    if u64(0x3B1) <= code <= u64(0x3C1):
        return code - u64(32)
    if code == u64(0x3C2):
        return code - u64(31)
    if u64(0x3C3) <= code <= u64(0x3CB):
        return code - u64(32)
    if code == u64(0x3CC):
        return code - u64(64)
    if u64(0x3CD) <= code <= u64(0x3CE):
        return code - u64(63)
    if code == u64(0x3D0):
        return code - u64(62)
    if code == u64(0x3D1):
        return code - u64(57)
    if code == u64(0x3D5):
        return code - u64(47)
    if code == u64(0x3D6):
        return code - u64(54)
    if code == u64(0x3D7):
        return code - u64(8)
    if u64(0x3D9) <= code <= u64(0x3EF) and code & u64(1) == u64(1):
        return code - u64(1)
    if code == u64(0x3F0):
        return code - u64(86)
    if code == u64(0x3F1):
        return code - u64(80)
    if code == u64(0x3F2):
        return code + u64(7)
    if code == u64(0x3F3):
        return code - u64(116)
    if code == u64(0x3F5):
        return code - u64(96)
    if code == u64(0x3F8):
        return code - u64(1)
    if code == u64(0x3FB):
        return code - u64(1)
    if u64(0x430) <= code <= u64(0x44F):
        return code - u64(32)
    if u64(0x450) <= code <= u64(0x45F):
        return code - u64(80)
    if u64(0x461) <= code <= u64(0x481) and code & u64(1) == u64(1):
        return code - u64(1)
    if u64(0x48B) <= code <= u64(0x4BF) and code & u64(1) == u64(1):
        return code - u64(1)
    if u64(0x4C2) <= code <= u64(0x4CE) and code & u64(1) == u64(0):
        return code - u64(1)
    if code == u64(0x4CF):
        return code - u64(15)
    if u64(0x4D1) <= code <= u64(0x52F) and code & u64(1) == u64(1):
        return code - u64(1)
    if u64(0x561) <= code <= u64(0x586):
        return code - u64(48)
    return code


@body
def upper_other_scripts(code: int) -> int:
    if u64(0x10D0) <= code <= u64(0x10FA):
        return code + u64(3008)
    if u64(0x10FD) <= code <= u64(0x10FF):
        return code + u64(3008)
    if u64(0x13F8) <= code <= u64(0x13FD):
        return code - u64(8)
    if code == u64(0x1C80):
        return code - u64(6254)
    if code == u64(0x1C81):
        return code - u64(6253)
    if code == u64(0x1C82):
        return code - u64(6244)
    if u64(0x1C83) <= code <= u64(0x1C84):
        return code - u64(6242)
    if code == u64(0x1C85):
        return code - u64(6243)
    if code == u64(0x1C86):
        return code - u64(6236)
    if code == u64(0x1C87):
        return code - u64(6181)
    if code == u64(0x1C88):
        return code + u64(35266)
    if code == u64(0x1D79):
        return code + u64(35332)
    if code == u64(0x1D7D):
        return code + u64(3814)
    if code == u64(0x1D8E):
        return code + u64(35384)
    if u64(0x1E01) <= code <= u64(0x1E95) and code & u64(1) == u64(1):
        return code - u64(1)
    if code == u64(0x1E9B):
        return code - u64(59)
    if u64(0x1EA1) <= code <= u64(0x1EFF) and code & u64(1) == u64(1):
        return code - u64(1)
    return code


@body
def upper_ancient_greek(code: int) -> int:
    if u64(0x1F00) <= code <= u64(0x1F07):
        return code + u64(8)
    if u64(0x1F10) <= code <= u64(0x1F15):
        return code + u64(8)
    if u64(0x1F20) <= code <= u64(0x1F27):
        return code + u64(8)
    if u64(0x1F30) <= code <= u64(0x1F37):
        return code + u64(8)
    if u64(0x1F40) <= code <= u64(0x1F45):
        return code + u64(8)
    if u64(0x1F51) <= code <= u64(0x1F57) and code & u64(1) == u64(1):
        return code + u64(8)
    if u64(0x1F60) <= code <= u64(0x1F67):
        return code + u64(8)
    if u64(0x1F70) <= code <= u64(0x1F71):
        return code + u64(74)
    if u64(0x1F72) <= code <= u64(0x1F75):
        return code + u64(86)
    if u64(0x1F76) <= code <= u64(0x1F77):
        return code + u64(100)
    if u64(0x1F78) <= code <= u64(0x1F79):
        return code + u64(128)
    if u64(0x1F7A) <= code <= u64(0x1F7B):
        return code + u64(112)
    if u64(0x1F7C) <= code <= u64(0x1F7D):
        return code + u64(126)
    if u64(0x1F80) <= code <= u64(0x1F87):
        return code + u64(8)
    if u64(0x1F90) <= code <= u64(0x1F97):
        return code + u64(8)
    if u64(0x1FA0) <= code <= u64(0x1FA7):
        return code + u64(8)
    if u64(0x1FB0) <= code <= u64(0x1FB1):
        return code + u64(8)
    if code == u64(0x1FB3):
        return code + u64(9)
    if code == u64(0x1FBE):
        return code - u64(7205)
    if code == u64(0x1FC3):
        return code + u64(9)
    if u64(0x1FD0) <= code <= u64(0x1FD1):
        return code + u64(8)
    if u64(0x1FE0) <= code <= u64(0x1FE1):
        return code + u64(8)
    if code == u64(0x1FE5):
        return code + u64(7)
    if code == u64(0x1FF3):
        return code + u64(9)
    return code


@body
def upper_symbols(code: int) -> int:
    if code == u64(0x214E):
        return code - u64(28)
    if u64(0x2170) <= code <= u64(0x217F):
        return code - u64(16)
    if code == u64(0x2184):
        return code - u64(1)
    if u64(0x24D0) <= code <= u64(0x24E9):
        return code - u64(26)
    if u64(0x2C30) <= code <= u64(0x2C5F):
        return code - u64(48)
    if code == u64(0x2C61):
        return code - u64(1)
    if code == u64(0x2C65):
        return code - u64(10795)
    if code == u64(0x2C66):
        return code - u64(10792)
    if u64(0x2C68) <= code <= u64(0x2C6C) and code & u64(1) == u64(0):
        return code - u64(1)
    if code == u64(0x2C73):
        return code - u64(1)
    if code == u64(0x2C76):
        return code - u64(1)
    if u64(0x2C81) <= code <= u64(0x2CE3) and code & u64(1) == u64(1):
        return code - u64(1)
    if u64(0x2CEC) <= code <= u64(0x2CEE) and code & u64(1) == u64(0):
        return code - u64(1)
    if code == u64(0x2CF3):
        return code - u64(1)
    if u64(0x2D00) <= code <= u64(0x2D25):
        return code - u64(7264)
    if code == u64(0x2D27):
        return code - u64(7264)
    if code == u64(0x2D2D):
        return code - u64(7264)
    if u64(0xA641) <= code <= u64(0xA66D) and code & u64(1) == u64(1):
        return code - u64(1)
    if u64(0xA681) <= code <= u64(0xA69B) and code & u64(1) == u64(1):
        return code - u64(1)
    return code


@body
def upper_late_latin(code: int) -> int:
    if u64(0xA723) <= code <= u64(0xA72F) and code & u64(1) == u64(1):
        return code - u64(1)
    if u64(0xA733) <= code <= u64(0xA76F) and code & u64(1) == u64(1):
        return code - u64(1)
    if u64(0xA77A) <= code <= u64(0xA77C) and code & u64(1) == u64(0):
        return code - u64(1)
    if u64(0xA77F) <= code <= u64(0xA787) and code & u64(1) == u64(1):
        return code - u64(1)
    if code == u64(0xA78C):
        return code - u64(1)
    if u64(0xA791) <= code <= u64(0xA793) and code & u64(1) == u64(1):
        return code - u64(1)
    if code == u64(0xA794):
        return code + u64(48)
    if u64(0xA797) <= code <= u64(0xA7A9) and code & u64(1) == u64(1):
        return code - u64(1)
    if u64(0xA7B5) <= code <= u64(0xA7C3) and code & u64(1) == u64(1):
        return code - u64(1)
    if u64(0xA7C8) <= code <= u64(0xA7CA) and code & u64(1) == u64(0):
        return code - u64(1)
    if code == u64(0xA7D1):
        return code - u64(1)
    if u64(0xA7D7) <= code <= u64(0xA7D9) and code & u64(1) == u64(1):
        return code - u64(1)
    if code == u64(0xA7F6):
        return code - u64(1)
    if code == u64(0xAB53):
        return code - u64(928)
    if u64(0xAB70) <= code <= u64(0xABBF):
        return code - u64(38864)
    if u64(0xFF41) <= code <= u64(0xFF5A):
        return code - u64(32)
    return code


@body
def upper_historic(code: int) -> int:
    if u64(0x10428) <= code <= u64(0x1044F):
        return code - u64(40)
    if u64(0x104D8) <= code <= u64(0x104FB):
        return code - u64(40)
    if u64(0x10597) <= code <= u64(0x105A1):
        return code - u64(39)
    if u64(0x105A3) <= code <= u64(0x105B1):
        return code - u64(39)
    if u64(0x105B3) <= code <= u64(0x105B9):
        return code - u64(39)
    if u64(0x105BB) <= code <= u64(0x105BC):
        return code - u64(39)
    if u64(0x10CC0) <= code <= u64(0x10CF2):
        return code - u64(64)
    if u64(0x118C0) <= code <= u64(0x118DF):
        return code - u64(32)
    if u64(0x16E60) <= code <= u64(0x16E7F):
        return code - u64(32)
    if u64(0x1E922) <= code <= u64(0x1E943):
        return code - u64(34)
    return code


@body
def upper_code(code: int) -> int:
    """A code point in upper case."""
    if code < u64(0x80):
        return code - u64(32) if u64(0x61) <= code <= u64(0x7A) else code
    if code < u64(0x180):
        return upper_latin(code)
    if code < u64(0x250):
        return upper_extended_latin(code)
    if code < u64(0x370):
        return upper_phonetic(code)
    if code < u64(0x590):
        return upper_greek_and_cyrillic(code)
    if code < u64(0x1F00):
        return upper_other_scripts(code)
    if code < u64(0x2000):
        return upper_ancient_greek(code)
    if code < u64(0xA700):
        return upper_symbols(code)
    if code < u64(0x10000):
        return upper_late_latin(code)
    return upper_historic(code)
