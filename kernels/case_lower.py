"""Lower case of single code points: the simple mappings of Unicode, as runs of equal distance."""

from __future__ import annotations

from headrace.kernels.primitives import u64
from headrace.kernels.registry import body


@body
def lower_latin(code: int) -> int:
    if u64(0xC0) <= code <= u64(0xD6):
        return code + u64(32)
    if u64(0xD8) <= code <= u64(0xDE):
        return code + u64(32)
    if u64(0x100) <= code <= u64(0x12E) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0x130):
        return code - u64(199)
    if u64(0x132) <= code <= u64(0x136) and code & u64(1) == u64(0):
        return code + u64(1)
    if u64(0x139) <= code <= u64(0x147) and code & u64(1) == u64(1):
        return code + u64(1)
    if u64(0x14A) <= code <= u64(0x176) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0x178):
        return code - u64(121)
    if u64(0x179) <= code <= u64(0x17D) and code & u64(1) == u64(1):
        return code + u64(1)
    return code


@body
def lower_extended_latin(code: int) -> int:
    if code == u64(0x181):
        return code + u64(210)
    if u64(0x182) <= code <= u64(0x184) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0x186):
        return code + u64(206)
    if code == u64(0x187):
        return code + u64(1)
    if u64(0x189) <= code <= u64(0x18A):
        return code + u64(205)
    if code == u64(0x18B):
        return code + u64(1)
    if code == u64(0x18E):
        return code + u64(79)
    if code == u64(0x18F):
        return code + u64(202)
    if code == u64(0x190):
        return code + u64(203)
    if code == u64(0x191):
        return code + u64(1)
    if code == u64(0x193):
        return code + u64(205)
    if code == u64(0x194):
        return code + u64(207)
    if code == u64(0x196):
        return code + u64(211)
    if code == u64(0x197):
        return code + u64(209)
    if code == u64(0x198):
        return code + u64(1)
    if code == u64(0x19C):
        return code + u64(211)
    if code == u64(0x19D):
        return code + u64(213)
    if code == u64(0x19F):
        return code + u64(214)
    if u64(0x1A0) <= code <= u64(0x1A4) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0x1A6):
        return code + u64(218)
    if code == u64(0x1A7):
        return code + u64(1)
    if code == u64(0x1A9):
        return code + u64(218)
    if code == u64(0x1AC):
        return code + u64(1)
    if code == u64(0x1AE):
        return code + u64(218)
    if code == u64(0x1AF):
        return code + u64(1)
    if u64(0x1B1) <= code <= u64(0x1B2):
        return code + u64(217)
    if u64(0x1B3) <= code <= u64(0x1B5) and code & u64(1) == u64(1):
        return code + u64(1)
    if code == u64(0x1B7):
        return code + u64(219)
    if code == u64(0x1B8):
        return code + u64(1)
    if code == u64(0x1BC):
        return code + u64(1)
    if code == u64(0x1C4):
        return code + u64(2)
    if code == u64(0x1C5):
        return code + u64(1)
    if code == u64(0x1C7):
        return code + u64(2)
    if code == u64(0x1C8):
        return code + u64(1)
    if code == u64(0x1CA):
        return code + u64(2)
    if u64(0x1CB) <= code <= u64(0x1DB) and code & u64(1) == u64(1):
        return code + u64(1)
    if u64(0x1DE) <= code <= u64(0x1EE) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0x1F1):
        return code + u64(2)
    if u64(0x1F2) <= code <= u64(0x1F4) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0x1F6):
        return code - u64(97)
    if code == u64(0x1F7):
        return code - u64(56)
    if u64(0x1F8) <= code <= u64(0x21E) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0x220):
        return code - u64(130)
    if u64(0x222) <= code <= u64(0x232) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0x23A):
        return code + u64(10795)
    if code == u64(0x23B):
        return code + u64(1)
    if code == u64(0x23D):
        return code - u64(163)
    if code == u64(0x23E):
        return code + u64(10792)
    if code == u64(0x241):
        return code + u64(1)
    if code == u64(0x243):
        return code - u64(195)
    if code == u64(0x244):
        return code + u64(69)
    if code == u64(0x245):
        return code + u64(71)
    if u64(0x246) <= code <= u64(0x24E) and code & u64(1) == u64(0):
        return code + u64(1)
    return code


@body
def lower_greek_and_cyrillic(code: int) -> int:
    if u64(0x370) <= code <= u64(0x372) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0x376):
        return code + u64(1)
    if code == u64(0x37F):
        return code + u64(116)
    if code == u64(0x386):
        return code + u64(38)
    if u64(0x388) <= code <= u64(0x38A):
        return code + u64(37)
    if code == u64(0x38C):
        return code + u64(64)
    if u64(0x38E) <= code <= u64(0x38F):
        return code + u64(63)
    if u64(0x391) <= code <= u64(0x3A1):
        return code + u64(32)
    if u64(0x3A3) <= code <= u64(0x3AB):
        return code + u64(32)
    if code == u64(0x3CF):
        return code + u64(8)
    if u64(0x3D8) <= code <= u64(0x3EE) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0x3F4):
        return code - u64(60)
    if code == u64(0x3F7):
        return code + u64(1)
    if code == u64(0x3F9):
        return code - u64(7)
    if code == u64(0x3FA):
        return code + u64(1)
    if u64(0x3FD) <= code <= u64(0x3FF):
        return code - u64(130)
    if u64(0x400) <= code <= u64(0x40F):
        return code + u64(80)
    if u64(0x410) <= code <= u64(0x42F):
        return code + u64(32)
    if u64(0x460) <= code <= u64(0x480) and code & u64(1) == u64(0):
        return code + u64(1)
    if u64(0x48A) <= code <= u64(0x4BE) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0x4C0):
        return code + u64(15)
    if u64(0x4C1) <= code <= u64(0x4CD) and code & u64(1) == u64(1):
        return code + u64(1)
    if u64(0x4D0) <= code <= u64(0x52E) and code & u64(1) == u64(0):
        return code + u64(1)
    if u64(0x531) <= code <= u64(0x556):
        return code + u64(48)
    return code


@body
def lower_other_scripts(code: int) -> int:
    if u64(0x10A0) <= code <= u64(0x10C5):
        return code + u64(7264)
    if code == u64(0x10C7):
        return code + u64(7264)
    if code == u64(0x10CD):
        return code + u64(7264)
    if u64(0x13A0) <= code <= u64(0x13EF):
        return code + u64(38864)
    if u64(0x13F0) <= code <= u64(0x13F5):
        return code + u64(8)
    if u64(0x1C90) <= code <= u64(0x1CBA):
        return code - u64(3008)
    if u64(0x1CBD) <= code <= u64(0x1CBF):
        return code - u64(3008)
    if u64(0x1E00) <= code <= u64(0x1E94) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0x1E9E):
        return code - u64(7615)
    if u64(0x1EA0) <= code <= u64(0x1EFE) and code & u64(1) == u64(0):
        return code + u64(1)
    return code


@body
def lower_ancient_greek(code: int) -> int:
    if u64(0x1F08) <= code <= u64(0x1F0F):
        return code - u64(8)
    if u64(0x1F18) <= code <= u64(0x1F1D):
        return code - u64(8)
    if u64(0x1F28) <= code <= u64(0x1F2F):
        return code - u64(8)
    if u64(0x1F38) <= code <= u64(0x1F3F):
        return code - u64(8)
    if u64(0x1F48) <= code <= u64(0x1F4D):
        return code - u64(8)
    if u64(0x1F59) <= code <= u64(0x1F5F) and code & u64(1) == u64(1):
        return code - u64(8)
    if u64(0x1F68) <= code <= u64(0x1F6F):
        return code - u64(8)
    if u64(0x1F88) <= code <= u64(0x1F8F):
        return code - u64(8)
    if u64(0x1F98) <= code <= u64(0x1F9F):
        return code - u64(8)
    if u64(0x1FA8) <= code <= u64(0x1FAF):
        return code - u64(8)
    if u64(0x1FB8) <= code <= u64(0x1FB9):
        return code - u64(8)
    if u64(0x1FBA) <= code <= u64(0x1FBB):
        return code - u64(74)
    if code == u64(0x1FBC):
        return code - u64(9)
    if u64(0x1FC8) <= code <= u64(0x1FCB):
        return code - u64(86)
    if code == u64(0x1FCC):
        return code - u64(9)
    if u64(0x1FD8) <= code <= u64(0x1FD9):
        return code - u64(8)
    if u64(0x1FDA) <= code <= u64(0x1FDB):
        return code - u64(100)
    if u64(0x1FE8) <= code <= u64(0x1FE9):
        return code - u64(8)
    if u64(0x1FEA) <= code <= u64(0x1FEB):
        return code - u64(112)
    if code == u64(0x1FEC):
        return code - u64(7)
    if u64(0x1FF8) <= code <= u64(0x1FF9):
        return code - u64(128)
    if u64(0x1FFA) <= code <= u64(0x1FFB):
        return code - u64(126)
    if code == u64(0x1FFC):
        return code - u64(9)
    return code


@body
def lower_symbols(code: int) -> int:
    if code == u64(0x2126):
        return code - u64(7517)
    if code == u64(0x212A):
        return code - u64(8383)
    if code == u64(0x212B):
        return code - u64(8262)
    if code == u64(0x2132):
        return code + u64(28)
    if u64(0x2160) <= code <= u64(0x216F):
        return code + u64(16)
    if code == u64(0x2183):
        return code + u64(1)
    if u64(0x24B6) <= code <= u64(0x24CF):
        return code + u64(26)
    if u64(0x2C00) <= code <= u64(0x2C2F):
        return code + u64(48)
    if code == u64(0x2C60):
        return code + u64(1)
    if code == u64(0x2C62):
        return code - u64(10743)
    if code == u64(0x2C63):
        return code - u64(3814)
    if code == u64(0x2C64):
        return code - u64(10727)
    if u64(0x2C67) <= code <= u64(0x2C6B) and code & u64(1) == u64(1):
        return code + u64(1)
    if code == u64(0x2C6D):
        return code - u64(10780)
    if code == u64(0x2C6E):
        return code - u64(10749)
    if code == u64(0x2C6F):
        return code - u64(10783)
    if code == u64(0x2C70):
        return code - u64(10782)
    if code == u64(0x2C72):
        return code + u64(1)
    if code == u64(0x2C75):
        return code + u64(1)
    if u64(0x2C7E) <= code <= u64(0x2C7F):
        return code - u64(10815)
    if u64(0x2C80) <= code <= u64(0x2CE2) and code & u64(1) == u64(0):
        return code + u64(1)
    if u64(0x2CEB) <= code <= u64(0x2CED) and code & u64(1) == u64(1):
        return code + u64(1)
    if code == u64(0x2CF2):
        return code + u64(1)
    if u64(0xA640) <= code <= u64(0xA66C) and code & u64(1) == u64(0):
        return code + u64(1)
    if u64(0xA680) <= code <= u64(0xA69A) and code & u64(1) == u64(0):
        return code + u64(1)
    return code


@body
def lower_late_latin(code: int) -> int:
    if u64(0xA722) <= code <= u64(0xA72E) and code & u64(1) == u64(0):
        return code + u64(1)
    if u64(0xA732) <= code <= u64(0xA76E) and code & u64(1) == u64(0):
        return code + u64(1)
    if u64(0xA779) <= code <= u64(0xA77B) and code & u64(1) == u64(1):
        return code + u64(1)
    if code == u64(0xA77D):
        return code - u64(35332)
    if u64(0xA77E) <= code <= u64(0xA786) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0xA78B):
        return code + u64(1)
    if code == u64(0xA78D):
        return code - u64(42280)
    if u64(0xA790) <= code <= u64(0xA792) and code & u64(1) == u64(0):
        return code + u64(1)
    if u64(0xA796) <= code <= u64(0xA7A8) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0xA7AA):
        return code - u64(42308)
    if code == u64(0xA7AB):
        return code - u64(42319)
    if code == u64(0xA7AC):
        return code - u64(42315)
    if code == u64(0xA7AD):
        return code - u64(42305)
    if code == u64(0xA7AE):
        return code - u64(42308)
    if code == u64(0xA7B0):
        return code - u64(42258)
    if code == u64(0xA7B1):
        return code - u64(42282)
    if code == u64(0xA7B2):
        return code - u64(42261)
    if code == u64(0xA7B3):
        return code + u64(928)
    if u64(0xA7B4) <= code <= u64(0xA7C2) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0xA7C4):
        return code - u64(48)
    if code == u64(0xA7C5):
        return code - u64(42307)
    if code == u64(0xA7C6):
        return code - u64(35384)
    if u64(0xA7C7) <= code <= u64(0xA7C9) and code & u64(1) == u64(1):
        return code + u64(1)
    if code == u64(0xA7D0):
        return code + u64(1)
    if u64(0xA7D6) <= code <= u64(0xA7D8) and code & u64(1) == u64(0):
        return code + u64(1)
    if code == u64(0xA7F5):
        return code + u64(1)
    if u64(0xFF21) <= code <= u64(0xFF3A):
        return code + u64(32)
    return code


@body
def lower_historic(code: int) -> int:
    if u64(0x10400) <= code <= u64(0x10427):
        return code + u64(40)
    if u64(0x104B0) <= code <= u64(0x104D3):
        return code + u64(40)
    if u64(0x10570) <= code <= u64(0x1057A):
        return code + u64(39)
    if u64(0x1057C) <= code <= u64(0x1058A):
        return code + u64(39)
    if u64(0x1058C) <= code <= u64(0x10592):
        return code + u64(39)
    if u64(0x10594) <= code <= u64(0x10595):
        return code + u64(39)
    if u64(0x10C80) <= code <= u64(0x10CB2):
        return code + u64(64)
    if u64(0x118A0) <= code <= u64(0x118BF):
        return code + u64(32)
    if u64(0x16E40) <= code <= u64(0x16E5F):
        return code + u64(32)
    if u64(0x1E900) <= code <= u64(0x1E921):
        return code + u64(34)
    return code


@body
def lower_code(code: int) -> int:
    """A code point in lower case."""
    if code < u64(0x80):
        return code + u64(32) if u64(0x41) <= code <= u64(0x5A) else code
    if code < u64(0x180):
        return lower_latin(code)
    if code < u64(0x250):
        return lower_extended_latin(code)
    if code < u64(0x590):
        return lower_greek_and_cyrillic(code)
    if code < u64(0x1F00):
        return lower_other_scripts(code)
    if code < u64(0x2000):
        return lower_ancient_greek(code)
    if code < u64(0xA700):
        return lower_symbols(code)
    if code < u64(0x10000):
        return lower_late_latin(code)
    return lower_historic(code)
