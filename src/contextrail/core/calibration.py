"""What a provider's usage says about our estimates: one ratio per model, with its spread.

A calibration is a value. It is made from pairs of what was estimated for a request and what the
provider then counted, it corrects in both directions, and it forgets: a wrong pair fades with the next
ones. There is no bound on the ratio, so no error is made permanent. All arithmetic is on integers
(millionths), so equal pairs give equal digests on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from contextrail.core.digest import canonical_json, sha256
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import Sha256
from contextrail.core.json_text import JsonObject, kind_of
from contextrail.core.tokens import Estimate

_ONE: Final = 1_000_000
_SCALE: Final = 2 * _ONE * _ONE
_FIRST_SPREAD: Final = 30_000
"""Expected deviation of the next ratio after one pair, of the ratio: 3 %."""
_LEAST_WIDTH: Final = 20_000
"""An interval is never narrower than 2 % to each side: the next text is another text."""
_WIDTHS: Final = 3
"""Half-width in deviations. With the mean absolute deviation of a bell curve, 3 are 98 %."""
_SLOWEST: Final = 3
"""A pair weighs at least 1 / (_SLOWEST + 1): the last ten count for nineteen twentieths."""
_PRIOR_SHARE: Final = 5
"""A text whose uncalibrated interval is wide keeps a fifth of that width: usage of other kinds of text
says less about it."""


@dataclass(frozen=True, slots=True)
class Track:
    """What was learned about one model. Ratios in millionths of (provider's count / middle of estimate)."""

    pairs: int
    ratio: int
    spread: int
    """Mean absolute deviation of the ratio, in millionths of the ratio."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Tracks by model id, sorted by it. "" stands for a request whose model is not known."""

    tracks: tuple[tuple[str, Track], ...] = ()

    @property
    def digest(self) -> Sha256:
        """Equal for equal calibrations, on every machine."""
        return sha256(canonical_json(self.to_json()))

    def track(self, model: str | None) -> Track | None:
        """What is known about a model, or None."""
        return dict(self.tracks).get(model or "")

    def apply(self, estimate: Estimate, model: str | None = None) -> Estimate:
        """Correct and narrow an uncalibrated estimate; unchanged if nothing is known about the model."""
        track = self.track(model)
        return estimate if track is None else narrowed(estimate, track)

    def observe(self, estimate: Estimate, actual: int, model: str | None = None) -> Calibration:
        """Learn from one request.

        Args:
            estimate: What `apply` gave for the request under this very calibration.
            actual: Input tokens that the provider counted for it, cached ones included, > 0.
            model: Its model id.

        Raises:
            InvalidRequest: `actual` is not positive, or the estimate is of nothing.
        """
        if actual <= 0 or estimate.high <= 0:
            raise InvalidRequest(
                f"cannot calibrate with an estimate of {estimate.high} and a count of {actual}",
                place="usage",
                cure="leave out requests whose usage is unknown",
                actual=actual,
            )
        track = self.track(model)
        before = _ONE if track is None else track.ratio
        ratio = 2 * actual * before // (estimate.low + estimate.high)
        learned = Track(1, max(ratio, 1), _FIRST_SPREAD) if track is None else _learn(track, max(ratio, 1))
        return replace(self, tracks=tuple(sorted({**dict(self.tracks), model or "": learned}.items())))

    def to_json(self) -> JsonObject:
        """`{"models": {MODEL: {"pairs", "ratio", "spread"}}}`, integers only."""
        return {
            "models": {
                model: {"pairs": track.pairs, "ratio": track.ratio, "spread": track.spread}
                for model, track in self.tracks
            }
        }


def narrowed(estimate: Estimate, track: Track) -> Estimate:
    """An estimate as a track corrects it: low <= high, and the middle moved by the ratio.

    half-width = max(2 %, 3 spreads, a fifth of the uncalibrated half-width), of the corrected middle
    """
    double = estimate.low + estimate.high
    if not double:
        return estimate
    width = max(_LEAST_WIDTH, _WIDTHS * track.spread)
    prior = (estimate.high - estimate.low) * _ONE // double // _PRIOR_SHARE
    width = min(max(width, prior), _ONE)
    middle = double * track.ratio
    return Estimate(middle * (_ONE - width) // _SCALE, -(-middle * (_ONE + width) // _SCALE))


def read_calibration(value: object, *, place: str = "calibration") -> Calibration:
    """The calibration that `to_json` wrote.

    Raises:
        InvalidRequest: The value has another form; `path` says where.
    """
    models = _object(value, place, "$").get("models", {})
    tracks = {}
    for model, row in _object(models, place, "$.models").items():
        path = f"$.models.{model}"
        fields = _object(row, place, path)
        pairs = _integer(fields, "pairs", 1, place=place, path=path)
        ratio = _integer(fields, "ratio", 1, place=place, path=path)
        spread = _integer(fields, "spread", 0, place=place, path=path)
        tracks[model] = Track(pairs, ratio, spread)
    return Calibration(tuple(sorted(tracks.items())))


def _learn(track: Track, ratio: int) -> Track:
    """The track after one more ratio: weights 1/2, 1/3, then 1/4 for each new one."""
    weight = min(track.pairs, _SLOWEST) + 1
    off = abs(ratio - track.ratio) * _ONE // track.ratio
    return Track(
        track.pairs + 1,
        max(track.ratio + (ratio - track.ratio) // weight, 1),
        track.spread + (off - track.spread) // weight,
    )


def _object(value: object, place: str, path: str) -> JsonObject:
    if not isinstance(value, dict):
        raise InvalidRequest(
            f"{place}: {path} must be an object, not {kind_of(value)}", place=place, path=path
        )
    return value


def _integer(fields: JsonObject, name: str, least: int, *, place: str, path: str) -> int:
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InvalidRequest(
            f"{place}: {path}.{name} must be an integer of at least {least}",
            place=place,
            path=f"{path}.{name}",
        )
    return value
