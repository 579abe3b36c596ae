"""Agreement measures, to four digits, against worked examples that others have published."""

from __future__ import annotations

import pytest

from sqlore.evals.build.agreement import (
    Measure,
    bootstrap,
    cohen_kappa,
    fleiss_kappa,
    full_agreement,
    gwet_ac1,
    measures,
    pairwise_agreement,
)


def from_table(table: list[list[int]]) -> list[list[int]]:
    """The pairs of ratings that a contingency table counts."""
    cells = ((row, column) for row in range(len(table)) for column in range(len(table)))
    return [list(cell) for cell in cells for _ in range(table[cell[0]][cell[1]])]


def from_counts(counts: list[list[int]]) -> list[list[int]]:
    """Ratings with these numbers of each label a unit."""
    return [[label for label, many in enumerate(row) for _ in range(many)] for row in counts]


def close(found: Measure, value: float, error: float, low: float, high: float) -> None:
    assert found.value == pytest.approx(value, abs=5e-5)
    assert found.error == pytest.approx(error, abs=5e-5)
    assert (found.low, found.high) == pytest.approx((low, high), abs=6e-4)


# Pregnancies classified by two abstractors (Gwet, Handbook of Inter-Rater Reliability, 4th edition, 2014;
# data set cont3x3abstractors and results as in the documentation of his R package irrCAC, "Overview").
ABSTRACTORS = from_table([[13, 0, 0], [0, 20, 7], [0, 4, 56]])

# Fifteen patients of Fleiss 1971 diagnosed by six psychiatrists each, and ratings of twelve units by four
# raters with some missing (distrib.6raters and cac.raw4raters, same source).
PSYCHIATRISTS = from_counts(
    [
        [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0],
        [2, 0, 4, 0, 0], [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6],
        [1, 0, 0, 5, 0], [1, 1, 0, 4, 0], [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1],
    ]
)  # fmt: skip
# The same study whole: thirty patients, six psychiatrists each (Fleiss, "Measuring nominal scale agreement
# among many raters", Psychological Bulletin 76, 1971, table 1: kappa .430). The data as in the R package irr,
# `diagnoses`; its kappam.fleiss gives 0.4302445, quoted in statsmodels, stats/tests/test_inter_rater.py.
FLEISS_1971 = [
    "444444", "222555", "233335", "555555", "222444", "113333", "333355", "113334", "114444", "555555",
    "144444", "124444", "222333", "144444", "224445", "333335", "111455", "111112", "224444", "133555",
    "555555", "244444", "224555", "114444", "144445", "222224", "111155", "224444", "133333", "555555",
]  # fmt: skip

# Two raters, three labels: an example of SAS PROC FREQ, AGREE, quoted with its printout in the same file of
# statsmodels: simple kappa 0.4842, ASE 0.1380.
SAS_TABLE = from_table([[0, 4, 1], [0, 8, 0], [0, 1, 5]])

# Ten subjects, fourteen raters, five labels: the example of Wikipedia's article "Fleiss' kappa", kappa 0.210,
# quoted in the same file of statsmodels.
FOURTEEN_RATERS = from_counts(
    [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]
)  # fmt: skip
FOUR_RATERS = [
    [1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, None, 3, None],
]  # fmt: skip

# Mammograms read by two radiologists (Boyd et al. 1982), as in the Stata Base Reference Manual, "kappa", data
# set rate2: agreement 63.53 %, kappa 0.4728.
RADIOLOGISTS = from_table([[21, 12, 0, 0], [4, 17, 1, 0], [3, 9, 15, 2], [0, 0, 0, 1]])

# Ten subjects, five raters, three categories (Fleiss, Levin and Paik, Statistical Methods for Rates and
# Proportions, 3rd edition, 2003, page 615; same manual, data set
# p615b): kappa 0.4179.
THREE_CATEGORIES = from_counts(
    [
        [1, 4, 0], [2, 0, 3], [0, 0, 5], [4, 0, 1], [3, 0, 2],
        [1, 4, 0], [5, 0, 0], [0, 4, 1], [1, 0, 4], [3, 0, 2],
    ]
)  # fmt: skip


def test_two_abstractors() -> None:
    """Of two raters the source takes the large-sample variance throughout: n in place of n - 1."""
    close(cohen_kappa(ABSTRACTORS), 0.7964094, 0.05891072, 0.680, 0.913)
    for measure, value, error in [
        (gwet_ac1, 0.8493305, 0.04321747),
        (fleiss_kappa, 0.7962397, 0.05905473),  # Scott's pi
        (pairwise_agreement, 0.89, 0.03128898),
    ]:
        found = measure(ABSTRACTORS)
        assert found.error is not None
        assert (found.value, found.error * 0.99**0.5) == pytest.approx((value, error), abs=5e-7)
    assert full_agreement(ABSTRACTORS).value == 0.89


def test_six_psychiatrists() -> None:
    close(gwet_ac1(PSYCHIATRISTS), 0.4448007, 0.08418757, 0.264, 0.625)
    close(fleiss_kappa(PSYCHIATRISTS), 0.4139265, 0.08119291, 0.240, 0.588)
    assert pairwise_agreement(PSYCHIATRISTS).value == pytest.approx(0.5511111, abs=5e-8)


def test_thirty_patients_of_fleiss() -> None:
    found = fleiss_kappa(FLEISS_1971)
    assert found.value == pytest.approx(0.4302445, abs=5e-8)
    assert found.units == 30
    first = [[row.count(label) for label in "12345"] for row in FLEISS_1971[:15]]
    assert first == [
        [row.count(label) for label in range(5)] for row in PSYCHIATRISTS
    ]  # Gwet's are the first half


def test_fourteen_raters() -> None:
    assert fleiss_kappa(FOURTEEN_RATERS).value == pytest.approx(0.210, abs=5e-4)


def test_two_raters_of_sas() -> None:
    found = cohen_kappa(SAS_TABLE)
    assert (found.value, found.error) == pytest.approx((0.4842, 0.1380), abs=5e-5)


def test_ratings_may_be_missing() -> None:
    close(gwet_ac1(FOUR_RATERS), 0.77544, 0.14295, 0.461, 1)
    close(fleiss_kappa(FOUR_RATERS), 0.76117, 0.15302, 0.424, 1)
    close(pairwise_agreement(FOUR_RATERS), 0.8181818, 0.12561, 0.542, 1)
    assert full_agreement(FOUR_RATERS).units == 11


def test_two_radiologists() -> None:
    assert pairwise_agreement(RADIOLOGISTS).value == pytest.approx(0.6353, abs=5e-5)
    assert cohen_kappa(RADIOLOGISTS).value == pytest.approx(0.4728, abs=5e-5)


def test_three_categories() -> None:
    assert fleiss_kappa(THREE_CATEGORIES).value == pytest.approx(0.4179, abs=5e-5)


def test_unequal_labels_make_kappa_low_and_leave_ac1_high() -> None:
    """118 of 125 units are the same, and kappa is below zero (a paradox that Gwet 2008 starts from)."""
    found = measures(from_table([[118, 5], [2, 0]]))
    assert found.full.value == pytest.approx(0.944)
    assert found.ac1.value == pytest.approx(0.9408, abs=5e-5)
    assert found.fleiss.value == pytest.approx(-0.0288, abs=5e-5)
    assert found.cohen[0, 1].value == pytest.approx(-0.0234, abs=5e-5)


def test_one_label_alone() -> None:
    """All agree that everything is valid: AC1 is 1, a kappa is not defined."""
    same = [["yes", "yes", "yes"]] * 5
    found = measures(same, ["yes", "no"])
    assert (found.full.value, found.ac1.value, found.fleiss.value) == (1, 1, None)
    assert found.full.low == pytest.approx(0.5655, abs=5e-5)
    assert str(found.fleiss) == "undefined"


def test_nothing_is_judged_twice() -> None:
    found = measures([["yes", None], [None, "no"]])
    assert {found.full.value, found.ac1.value, found.fleiss.value, found.cohen[0, 1].value} == {None}


def test_categories_that_nobody_used_count() -> None:
    """AC1's chance falls with the number of labels there could be; a kappa's does not."""
    wide = gwet_ac1(ABSTRACTORS, [0, 1, 2, 3]).value
    narrow = gwet_ac1(ABSTRACTORS).value
    assert wide is not None
    assert narrow is not None
    assert wide > narrow
    assert fleiss_kappa(ABSTRACTORS, [0, 1, 2, 3]).value == fleiss_kappa(ABSTRACTORS).value


def test_bootstrap_and_formula_are_of_one_mind() -> None:
    interval = bootstrap(ABSTRACTORS, gwet_ac1, resamples=400)
    assert interval == pytest.approx((0.764, 0.935), abs=0.02)
    assert interval == bootstrap(ABSTRACTORS, gwet_ac1, resamples=400)
    assert bootstrap([["yes", "yes"]], fleiss_kappa, resamples=20) is None


def test_cohen_is_of_two() -> None:
    with pytest.raises(ValueError, match="two annotators"):
        cohen_kappa([[1, 2, 3]])
