"""Values of several words: a passphrase, or a sentence about one. Pure."""

from __future__ import annotations

import re
from typing import Final

_TALK_WORDS: Final = (
    "a account after again all also altes an and any are argon argument as at attempt attempts auth "
    "authentication authorization base64 bcrypt be been before between bits bitte blank boolean both but by bytes "
    "can caracteres caractères case change changed char character characters chars check choose command config "
    "confirm contain containing contains contraseña could create credential credentials current das days default "
    "did digit digits do does dummy each eingeben email empty encrypted enter env equal equals error errors "
    "esqueceu every example expired failed failure fake falsch false field fields file for forgot forgotten form "
    "from given hash hashed her here hex hidden his hmac hours how if in incorrect input integer into invalid is "
    "ist it its kennwort kept key keys label least left length less letter letters login long lower lowercase "
    "masked match matches matching max maximum may message might min mindestens minimum minutes mismatch missing "
    "more most mot must my mínimo name neues new nicht no none nor not nouveau nova nueva null number numbers "
    "oder of old olvidada on only option optional or oublié our output passe passphrase passwd password passwords "
    "passwort path pbkdf per pick placeholder plain plaintext please previous provided read remaining repeat "
    "required reset return returns retype rounds salt salted same sample saved scrypt seconds secret secrets see "
    "select senha set settings sha shall short should show shows sign signed signup so sorry stored string "
    "strings strong such symbol symbols test text than that the their then there these this those to token too "
    "tries true try type und unique until update updated upper uppercase use used user username users using valid "
    "value values varchar variable vergessen verify very via votre was weak were what when where which while who "
    "whom why wiederholen will with would write wrong you your zeichen "
)
_TALK: Final = frozenset(_TALK_WORDS.split())
"""Words of a sentence about a password, and of no passphrase drawn from a list."""
_PARTS: Final = re.compile(r"[^\W\d_]+")
_WORD: Final = re.compile(r"[A-Z]?[a-z]{2,}")
_FEWEST: Final = 3
_MOST: Final = 10
"""Words: more are prose."""
_NAME_WORDS: Final = (
    "access admin and api app button cert certificate class client cluster config data database db dev field for "
    "form item list main manager my node our page prod ref root server service staging store system the tls view "
    "with "
)
_NAMES: Final = frozenset(_NAME_WORDS.split())
"""What names of things in a program and in a cluster are put together from."""


def is_drawn_phrase(value: str) -> bool:
    """Whether a value with blanks is a passphrase: words that make no sentence.

    At least four words, all small or all with a capital; or fewer with a digit or a sign that no sentence has.
    """
    words = value.split()
    letters = _PARTS.findall(value)
    if not 1 < len(words) <= _MOST or not letters or _talks(letters):
        return False
    if len(words) > _FEWEST and all(map(_WORD.fullmatch, words)):
        return len({word[0].isupper() for word in words}) == 1
    return any(char.isdigit() for char in value) and any(len(part) >= _FEWEST for part in letters)


def is_joined_phrase(value: str) -> bool:
    """Whether a value without blanks is a passphrase: four small words or more with dashes between them."""
    words = value.split("-")
    if not _FEWEST < len(words) <= _MOST or not all(map(_WORD.fullmatch, words)) or not value.islower():
        return False
    return not _talks(words) and _NAMES.isdisjoint(words)


def _talks(words: list[str]) -> bool:
    """Whether somebody speaks about a password."""
    return not _TALK.isdisjoint(word.lower() for word in words)
