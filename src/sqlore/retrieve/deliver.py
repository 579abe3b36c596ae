"""From scored rows to what is handed over: items with their reasons, scripts as worked examples."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from sqlore.model import KnowledgeItem, RankedItem, RankedScript, Script, StoredScript
from sqlore.retrieve.part import Part
from sqlore.retrieve.room import Room, length_in_tokens, lengths
from sqlore.retrieve.select import Candidate, cover, essence
from sqlore.retrieve.signals import Asked
from sqlore.retrieve.snapshot import Floats, Snapshot, Text
from sqlore.retrieve.wording import saying

_CONSIDERED: Final = 80
_REASONS: Final = 6
#: Items of at least this chance are covered by worked examples. A further short script costs a prompt less
#: than a missing piece: on held-out databases this takes the share of questions whose every piece is
#: delivered from .47 to .58, and the examples from 135 tokens to 174. In a small model's answers
#: no difference was measured (`tests/bench/bench_forms.py`).
_COVERED: Final = 0.15
_MOST_COVERED: Final = 20
#: What a text that nobody ran is worth beside one that somebody did.
SYNTHETIC: Final = 0.5


def best_first(scores: Floats) -> list[int]:
    """Rows with a score above 0, best first; equal scores in the order of the rows."""
    rows = np.flatnonzero(scores > 0)
    best: list[int] = rows[np.argsort(-scores[rows], kind="stable")].tolist()
    return best


def folded(snapshot: Snapshot, ranking: Sequence[int], most: int = 60) -> list[int]:
    """The first `most` of a ranking without those that only spell an earlier one differently."""
    seen: set[str] = set()
    out = []
    for row in ranking:
        idea = essence(snapshot.items[row].kind, snapshot.items[row].skeleton)
        if idea not in seen:
            seen.add(idea)
            out.append(row)
            if len(out) == most:
                break
    return out


def to_cover(chosen: Sequence[int], ranking: Sequence[int], scores: Floats) -> list[int]:
    """The chosen items and those further down the ranking that examples should hold as well."""
    further = ranking[len(chosen) : _MOST_COVERED]
    return [*chosen, *(row for row in further if scores[row] >= _COVERED)]


def explained(
    asked: Asked, chosen: Sequence[int], scores: Floats, shares: Floats, names: Sequence[str]
) -> tuple[RankedItem, ...]:
    """The chosen items with their scores and the signals that spoke most for or against them."""
    snapshot = asked.snapshot
    whole = bool((snapshot.spoken if isinstance(snapshot, Part) else asked.alive).all())
    return tuple(
        RankedItem(
            snapshot.items[row] if whole else as_known(asked, row),
            float(scores[row]),
            reasons(names, shares[row]),
        )
        for row in chosen
    )


def reasons(names: Sequence[str], shares: Floats) -> Mapping[str, float]:
    """The strongest signals with their share of the log odds; variants of one signal are added up."""
    total: dict[str, float] = defaultdict(float)
    for name, share in zip(names, shares, strict=True):
        total[name.partition(":")[0]] += float(share)
    strongest = sorted(total.items(), key=lambda pair: -abs(pair[1]))[:_REASONS]
    return {name: share for name, share in strongest if share}


def as_known(asked: Asked, row: int) -> KnowledgeItem:
    """The item as it is known from the texts that may be used: support, scripts, literals, example."""
    snapshot, alive = asked.snapshot, asked.alive
    if isinstance(snapshot, Part):
        row, alive, snapshot = int(snapshot.item_rows[row]), snapshot.spoken, snapshot.whole
    item = snapshot.items[row]
    used = [int(text) for text in snapshot.texts_of(row) if alive[text]]
    rows = [text for text in used if not snapshot.texts[text].synthetic]
    made_up = not rows
    rows = rows or used
    texts = [snapshot.texts[text] for text in rows]
    counts = Counter(literals for text in rows for literals in set(snapshot.literals_of.get((row, text), ())))
    shown = any(item.sql in text.sql for text in texts)
    scripts = tuple(sorted({text.script for text in texts}))
    return replace(
        item,
        sql=item.sql if shown else item.skeleton,
        support=0 if made_up else len(scripts),
        scripts=scripts,
        synthetic=made_up,
        literals=tuple(counts.most_common()),
    )


def covering(asked: Asked, wanted: Sequence[int], scores: Floats, *, most: int, budget: int) -> list[int]:
    """Rows of the texts that together hold the `wanted` items, one a script."""
    snapshot = asked.snapshot
    worth = np.zeros(len(scores), dtype=np.float32)
    worth[list(wanted)] = scores[list(wanted)]
    near = np.maximum(asked.dense, asked.lexical)
    gain = snapshot.over_texts(worth) * (1 + near) * asked.alive
    gain[snapshot.synthetic] *= SYNTHETIC
    gain[list(snapshot.undeliverable)] = 0
    candidates: dict[int, Candidate] = {}
    seen: set[int] = set()
    for row in best_first(gain)[:_CONSIDERED]:
        text = snapshot.texts[row]
        if text.script not in seen:
            seen.add(text.script)
            fitness = float(near[row]) * _worth(text) + 0.1 * text.verified
            candidates[row] = Candidate(
                row, frozenset(snapshot.items_of_text[row]), length_in_tokens(text), min(1.0, fitness)
            )
    worths = {int(row): float(scores[row]) for row in wanted}
    taken = [c.id for c in cover(worths, list(candidates.values()), most=most, budget=budget)]
    # a script that answers this very question is shown even where it holds nothing but itself
    fits = lengths(snapshot) <= budget
    same = [row for row in np.flatnonzero(asked.same & fits).tolist() if row not in snapshot.undeliverable]
    same.sort(key=lambda row: bool(snapshot.synthetic[row]))
    if most and same and not asked.same[taken].any():
        taken = [same[0], *taken[: most - 1]]
        while sum(length_in_tokens(snapshot.texts[row]) for row in taken) > budget:
            taken.pop()
    return taken + _saying(asked, taken, near, most=most, budget=budget)


def _worth(text: Text) -> float:
    return SYNTHETIC if text.synthetic else 1.0


def _saying(asked: Asked, taken: Sequence[int], near: Floats, *, most: int, budget: int) -> list[int]:
    """Rows of further texts for the words of the question that those taken do not say."""
    snapshot = asked.snapshot
    room = Room(snapshot, budget, taken)
    fit = np.where(snapshot.synthetic, SYNTHETIC * near, near) * asked.alive
    fit[list(snapshot.undeliverable)] = 0
    return saying(asked, taken, fit, room, most=most - len(taken))


def worked_examples(
    asked: Asked,
    delivered: Sequence[int],
    chosen: Collection[int],
    wanted: Collection[int],
    scores: Floats,
    fetch: Callable[[Sequence[int]], Sequence[StoredScript]],
) -> tuple[RankedScript, ...]:
    """The delivered texts as scripts: the chosen items each holds, and its share of what was wanted.

    Those that somebody ran come first.
    """
    snapshot = asked.snapshot
    stored = {script.id: script for script in fetch([snapshot.texts[row].script for row in delivered])}
    worth = max(sum(float(scores[row]) for row in wanted), 1e-9)
    out = []
    for row in delivered:
        text = snapshot.texts[row]
        held = [item for item in snapshot.items_of_text[row] if item in wanted]
        held.sort(key=lambda item: -scores[item])
        script = stored[text.script]
        share = sum(float(scores[item]) for item in held) / worth * _worth(text)
        items = tuple(snapshot.items[item].id for item in held if item in chosen)
        shown = replace(script, script=as_written(script.script, text), synthetic=text.synthetic)
        out.append(RankedScript(shown, share, items))
    return tuple(sorted(out, key=lambda ranked: (ranked.script.synthetic, -ranked.score)))


def as_written(script: Script, text: Text) -> Script:
    """A script as this text of it has it: its own SQL, and its own question."""
    if (script.sql, script.key, script.text or "") == (text.sql, text.key, text.said):
        return script
    return replace(
        script, sql=text.sql, key=text.key, question=text.said or None, comment=None, evidence=None
    )
