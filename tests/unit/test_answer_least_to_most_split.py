"""Questions taken apart by how they are said."""

from __future__ import annotations

import json

import pytest
from tests.support import ROOT

from sqlore.answer.least_to_most.split import looked_up_first, smaller, taken_apart
from sqlore.model import ValueMatch


@pytest.mark.parametrize(
    ("question", "how", "outputs", "parts"),
    [
        (
            "By how many years does the average age of singers in Rome exceed that of singers in Oslo?",
            "values",
            [(0, "-", 1)],
            ["What is the average age of singers in Rome?", "What is the average age of singers in Oslo?"],
        ),
        (
            "How many fewer singers came from Rome than from Oslo in 2011?",
            "values",
            [(1, "-", 0)],
            ["How many singers came from Rome in 2011?", "How many singers came from Oslo in 2011?"],
        ),
        (
            "Among the members of the club, how many kilograms heavier is the heaviest one with red shoes "
            "than the heaviest one without shoes?",
            "values",
            [(0, "-", 1)],
            [
                "Among the members of the club, what is the weight of the heaviest one with red shoes?",
                "Among the members of the club, what is the weight of the heaviest one without shoes?",
            ],
        ),
        (
            "What is the average rent for tall people, the average for small people, and the tall average "
            "minus the small average?",
            "values",
            [(0, "", 0), (1, "", 0), (0, "-", 1)],
            ["What is the average rent for tall people?", "What is the average rent for small people?"],
        ),
        (
            "How many trips were late, and how many is that per 100 trips that were on time?",
            "values",
            [(0, "", 0), (0, "/", 1)],
            ["How many trips were late?", "How many trips that were on time?"],
        ),
        (
            "How many times taller is Ann than Bob?",
            "values",
            [(0, "/", 1)],
            ["What is the height of Ann?", "What is the height of Bob?"],
        ),
        (
            "How many times smaller is the average rent in Rome than the average rent in Oslo?",
            "values",
            [(1, "/", 0)],
            ["What is the average rent in Rome?", "What is the average rent in Oslo?"],
        ),
        (
            "By how many times does the average rent in Rome exceed the average rent in Oslo?",
            "values",
            [(0, "/", 1)],
            ["What is the average rent in Rome?", "What is the average rent in Oslo?"],
        ),
        (
            "What is the average rent in Rome and how many times higher is it than the average rent in Oslo?",
            "values",
            [(0, "", 0), (0, "/", 1)],
            ["What is the average rent in Rome?", "What is the average rent in Oslo?"],
        ),
        (
            "What is the average rent in Rome, what is the average rent in Oslo, and how many times lower is "
            "the first than the second?",
            "values",
            [(0, "", 0), (1, "", 0), (1, "/", 0)],
            ["What is the average rent in Rome?", "What is the average rent in Oslo?"],
        ),
        (
            "By how many percentage points does the share of men exceed the share of women?",
            "values",
            [(0, "-", 1)],
            ["What is the share of men?", "What is the share of women?"],
        ),
        ("How many percent higher is the average rent in Rome than the average rent in Oslo?", None, [], []),
        ("By how many percent does the share of men exceed the share of women?", None, [], []),
        ("By what percentage does the average rent in Rome exceed that in Oslo?", None, [], []),
        (
            "How many trips were late, and how many percent higher is that than the number of trips on time?",
            None,
            [],
            [],
        ),
        (
            "Which dishes are cooked in the north but not in the south?",
            "except",
            [],
            ["Which dishes are cooked in the north?", "Which dishes are cooked in the south?"],
        ),
        ("List the plans that were drawn but not built.", None, [], []),
        (
            "Which tools do Ann and Bob share?",
            "intersect",
            [],
            ["Which tools does Ann have?", "Which tools does Bob have?"],
        ),
        (
            "Which town has the most bridges, and how many bridges in that town are made of wood?",
            "lookup",
            [(0, "", 0), (1, "", 0)],
            ["Which town has the most bridges?", "How many bridges in the town {} are made of wood?"],
        ),
        (
            "In the town with the most bridges, how many mills are there? Give the number.",
            "lookup",
            [],
            [
                "Which town has the most bridges?",
                "In the town {}, how many mills are there? Give the number.",
            ],
        ),
        ("What is the name of the town with the most bridges?", None, [], []),
        (
            "Among the old mills with a wheel, who owns the largest? Give the name.",
            "within",
            [],
            ["List the old mills with a wheel.", "Among mills, who owns the largest? Give the name."],
        ),
        ("Among the mills with a wheel, who owns the largest?", None, [], []),
        ("Is there a member of the IT department with the same first and last name?", None, [], []),
    ],
)
def test_how_a_question_is_taken_apart(
    question: str, how: str | None, outputs: list[tuple[int, str, int]], parts: list[str]
) -> None:
    plan = taken_apart(question)
    if how is None:
        assert plan is None
        return
    assert plan is not None
    assert plan.how == how
    assert [(one.left, one.operation, one.right) for one in plan.outputs] == outputs
    assert [one.question for one in plan.parts] == parts


def test_a_hundred_times_a_quotient() -> None:
    plan = taken_apart("How many trips were late, and how many is that per 100 trips that were on time?")
    assert plan is not None
    assert plan.outputs[1].times == 100


def test_what_is_of_a_name_is_looked_up_where_the_name_is_that_of_another_thing() -> None:
    question = "How many members live in the town of Ann?"
    start = question.index("Ann")
    ann = ValueMatch("member", "name", "Ann", "Ann", start, start + 3)
    plan = looked_up_first(question, [ann])
    assert plan is not None
    assert plan.parts[0].question == "What is the town of Ann?"
    assert looked_up_first(question) is None  # the database has no Ann
    assert looked_up_first(question, [ValueMatch("member", "town", "Ann", "Ann", start, start + 3)]) is None


def test_a_part_may_be_taken_apart_once_more() -> None:
    plan = smaller("Among the old mills with a wheel, how many are red?")
    assert plan is not None
    assert plan.how == "within"
    assert smaller("How many mills are red?") is None


def test_the_composed_tasks_are_taken_apart() -> None:
    tasks = json.loads((ROOT / "tests" / "bench" / "composed_spider.json").read_text(encoding="utf-8"))
    plans = [taken_apart(task["question"]) for task in tasks]
    assert sum(plan is not None for plan in plans) >= 18
    questions = [one.question for plan in plans if plan for one in plan.parts]
    assert all(question[0].isupper() and "  " not in question for question in questions)
