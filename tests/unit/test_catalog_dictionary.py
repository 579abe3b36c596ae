"""The data dictionary: precedence, names, and reading it from files and from a history."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqlore.catalog import Dictionary, Entry, entries_from_namings, humanize, load_tables_json, looks_secret
from sqlore.catalog.dictionary import entries_from_schema
from sqlore.catalog.meanings import prose_meanings, value_meanings
from sqlore.catalog.readers import decode, read_dictionary
from sqlore.errors import SourceError, UsageError
from sqlore.model import Column, Naming, Schema, Table
from sqlore.sql import parse_script
from support import data_dir

SOURCES = ("person", "file", "database", "history", "model")


def test_the_more_trusted_source_wins_whatever_the_order() -> None:
    entries = [Entry("t", "c", None, source, source) for source in SOURCES]
    for order in (entries, entries[::-1], entries[2:] + entries[:2]):
        dictionary = Dictionary(tuple(order))
        for source in SOURCES:
            assert dictionary.describe_column("T", "C") == source
            dictionary = dictionary.without("t", "c", source=source)
        assert dictionary.describe_column("t", "c") is None


def test_within_one_source_the_later_entry_wins() -> None:
    dictionary = Dictionary((Entry("t", "c", None, "old"), Entry("t", "c", None, "new")))
    assert dictionary.describe_column("t", "c") == "new"


def test_of_a_history_the_name_that_more_scripts_use_wins() -> None:
    often = Entry("t", "c", None, "often", "history", "often", support=9)
    late = Entry("t", "c", None, "once", "history", "once", support=1)
    assert Dictionary((often, late)).names("t", "c") == ("often", "once", "c")


def test_a_name_from_one_source_completes_a_description_from_another() -> None:
    dictionary = Dictionary().with_entries(
        [
            Entry("district", "a11", None, "salary in crowns", "database"),
            Entry("District", "A11", source="history", name="average salary", synonyms=("wage",)),
            Entry("district", "a11", source="model", name="pay"),
        ]
    )
    assert dictionary.describe_column("district", "A11") == "salary in crowns"
    assert dictionary.name_of("DISTRICT", "A11") == "average salary"
    assert dictionary.names("district", "A11") == ("average salary", "wage", "pay", "A11")


def test_with_entries_leaves_the_first_dictionary_as_it_was() -> None:
    first = Dictionary((Entry("t", "c", "1", "one"),))
    second = first.with_entries([Entry("t", "c", "2", "two")])
    assert first.value_meanings("t", "c") == {"1": "one"}
    assert second.value_meanings("t", "c") == {"1": "one", "2": "two"}
    assert second.with_entries(second.entries) == second


def test_values_are_found_exactly_first_then_in_any_case() -> None:
    dictionary = Dictionary(
        (Entry("t", "c", "a", "small"), Entry("t", "c", "A", "capital"), Entry("t", "c", "Ok", "fine"))
    )
    assert dictionary.describe_value("t", "c", "A") == "capital"
    assert dictionary.describe_value("t", "c", "a") == "small"
    assert dictionary.describe_value("t", "c", "OK") == "fine"
    assert dictionary.describe_value("t", "c", "b") is None


def test_it_survives_json() -> None:
    dictionary = Dictionary(
        (
            Entry("t", None, None, "a table", "person"),
            Entry("t", "ß", "日本", "Japan", "history", "name", ("a", "b"), 7),
            Entry("t", "c", "", "empty"),
        )
    )
    assert Dictionary.from_json(json.loads(json.dumps(dictionary.to_json()))) == dictionary


def test_comments_of_the_database_are_entries() -> None:
    columns = (
        Column("A11", comment="average salary"),
        Column("x"),
        Column("d", comment="the date on which " * 3),
    )
    entries = entries_from_schema(Schema((Table("district", columns, comment=" all districts "),)))
    assert [(e.column, e.description, e.name, e.source) for e in entries] == [
        (None, "all districts", "", "database"),
        ("a11", "average salary", "average salary", "database"),
        ("d", ("the date on which " * 3).strip(), "", "database"),
    ]


@pytest.mark.parametrize(
    ("comment", "name", "about", "meanings"),
    [
        ("3 = cancelled", "", None, {"3": "cancelled"}),
        ("1=new; 2=paid, 3=cancelled", "", None, {"1": "new", "2": "paid", "3": "cancelled"}),
        ("order status (1 = open, 2 = closed)", "order status", "order status", {"1": "open", "2": "closed"}),
        ("where it stands: 1 -> open / 2 -> closed", "", "where it stands", {"1": "open", "2": "closed"}),
        ("date of birth", "date of birth", "date of birth", {}),
        ("is set by a trigger", "", "is set by a trigger", {}),
        ("see wiki", "", "see wiki", {}),
        ("ratio 1:100", "", "ratio 1:100", {}),
        ("net price, 19% VAT = amount * 0.19", "", "net price, 19% VAT = amount * 0.19", {}),
        ("from 10:30 on", "", "from 10:30 on", {}),
    ],
)
def test_a_comment_is_a_name_a_description_or_meanings_of_codes(
    comment: str, name: str, about: str | None, meanings: dict[str, str]
) -> None:
    columns = (Column("st", "INTEGER", comment=comment),)
    dictionary = Dictionary(tuple(entries_from_schema(Schema((Table("orders", columns),)))))
    assert dictionary.value_meanings("orders", "st") == meanings
    assert dictionary.describe_column("orders", "st") == about
    assert (dictionary.entry("orders", "st") or Entry("")).name == name


def test_comments_stay_with_the_table_of_their_schema() -> None:
    tables = (
        Table("orders", (Column("id", comment="what was bought"),), comment="purchases"),
        Table("orders", (Column("id", comment="who commands"),), comment="commands", schema="army"),
    )
    dictionary = Dictionary(tuple(entries_from_schema(Schema(tables))))
    for name, about, column in [
        ("orders", "purchases", "what was bought"),
        ("army.orders", "commands", "who commands"),
    ]:
        assert dictionary.describe_table(name) == about
        assert dictionary.describe_column(name, "id") == column


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("superhero_name", "superhero name"),
        ("isPromo", "is promo"),
        ("CDSCode", "CDS code"),
        ("order_ID", "order ID"),
        ("T-BIL", "T-BIL"),
        ("UUID", "UUID"),
        ("CUSTOMER", "customer"),
        ("ORDER_STATUS", "order status"),
        ("District Name", "district name"),
        ("日本語_列", "日本語 列"),
        ("", ""),
        ("___", "___"),
    ],
)
def test_names_in_words(name: str, words: str) -> None:
    assert humanize(name) == words


def test_secret_names() -> None:
    secret = [
        "password",
        "userPassword",
        "pwd",
        "access_token",
        "client_secret",
        "pw_hash",
        "apiKey",
        "SSN",
        "card_number",
    ]
    plain = ["status", "hashtag", "tokenizer_name", "secretary", "passport_country", "number"]
    assert [c for c in (*secret, *plain) if looks_secret(c)] == secret


# ------------------------------------------------------------------ meanings in free text


@pytest.mark.parametrize(
    ("text", "numeric", "expected"),
    [
        ("F: female; M: male", False, {"F": "female", "M": "male"}),
        ("+: carcinogenic; -: not", False, {"+": "carcinogenic", "-": "not"}),
        ("A stands for contract finished, no problems", False, {"A": "contract finished, no problems"}),
        ("0: disallow 1: allow", True, {"0": "disallow", "1": "allow"}),
        ("1 -> yes\n0 -> no", True, {"1": "yes", "0": "no"}),
        ("'M' = male, 'F' = female", False, {"M": "male", "F": "female"}),
        (
            "•      00 - County Office\n•       02 – State Board",
            False,
            {"00": "County Office", "02": "State Board"},
        ),
        (
            '"POJISTNE": stands for insurance\n"SANKC. UROK": sanction',
            False,
            {"POJISTNE": "insurance", "SANKC. UROK": "sanction"},
        ),
        ("2: positive (severe)3: positive (mild)", True, {"2": "positive (severe)", "3": "positive (mild)"}),
        ("commonsense reasoning: \n• Slow: 1-33\n• Fast: 66-100", False, {"Slow": "1-33", "Fast": "66-100"}),
        ("∞ means infinite power\nnull or * refers to unknown power", False, {"∞": "infinite power"}),
    ],
)
def test_codes_in_many_spellings(text: str, numeric: bool, expected: dict[str, str]) -> None:
    assert value_meanings(text, numeric=numeric) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "unit：US dollar",
        "Unit：USD",
        "e.g. 2008-08-17 00:00:00",
        '"black", "borderless", "gold"',
        "right/ left",
        "null or empty: not recorded",
        "Note: Some records may not have data in this field.",
        "Normal range: 6.0 < N < 8.5",
        "The score is from 0 to 100. Higher overall rating means the player is stronger.",
        "if this value is empty, then it means this card doesn't have multiple faces",
        "see https://example.org/codes",
    ],
)
def test_what_is_no_list_of_codes_gives_none(text: str) -> None:
    assert value_meanings(text) == {}


@pytest.mark.parametrize(
    "text", ["'a" * 4000, "a (" * 4000, " " * 20000, "a:" * 4000, "1 2,3," * 4000, "\n- " * 4000]
)
def test_a_text_of_signs_is_read_in_time(text: str) -> None:
    assert len(value_meanings(text)) < 3
    assert prose_meanings(text) == {}


def test_names_of_columns_and_formulas_are_no_codes() -> None:
    text = "For example\nGSoffered = P–Adult\nGSserved = K–12"
    assert value_meanings(text, column="GSoffered", columns=["GSoffered", "GSserved"]) == {}
    assert value_meanings("eligible rate = Free Meal Count / Enrollment", numeric=True) == {}
    assert value_meanings("teenager: 13-18\nadult: 19-65", numeric=True) == {}


def test_running_text_gives_only_sure_codes() -> None:
    text = "The 'sides' column of 'cars' indicates the sides. 'M' represents male and 'F' represents female."
    assert prose_meanings(text, ("cars", "sides")) == {"M": "male", "F": "female"}
    assert prose_meanings("Example values are 6, 3, and 7 for the year 1995.") == {}


# ------------------------------------------------------------------ files


def test_a_windows_file_and_a_utf8_file_with_bom_read_alike(tmp_path: Path) -> None:
    text = "original_column_name,column_name,column_description,data_format,value_description"
    text += "\r\nst,state,“x”,text,• A: é\r\n"
    for name, encoding in (("a.csv", "cp1252"), ("b.csv", "utf-8-sig"), ("c.csv", "utf-16")):
        (tmp_path / name).write_bytes(text.encode(encoding))
    entries = read_dictionary(tmp_path)
    assert [(e.table, e.column, e.value, e.description, e.name) for e in entries] == [
        row for t in "abc" for row in ((t, "st", None, "“x”", "state"), (t, "st", "A", "é", ""))
    ]


def test_text_in_no_known_encoding_is_read_all_the_same() -> None:
    assert decode(b"a\x81b").startswith("a")


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("tables:\n  orders:\n    columnz: {}\n", 3, "columnz"),
        ("tables:\n  orders:\n    columns:\n      - status\n", 4, "mapping"),
        ("tables:\n  a: x\n  a: y\n", 3, "twice"),
        ("tables:\n  orders: [\n", 3, "not YAML"),
        ("- a\n- b\n", 1, "mapping"),
        ("tables:\n  t:\n    columns:\n      c:\n        values:\n          3: [a]\n", 6, "text"),
        ("schemas: {}\n", 1, "schemas"),
    ],
)
def test_a_mistake_in_yaml_is_told_with_its_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    path = tmp_path / "dictionary.yaml"
    path.write_text(text)
    with pytest.raises(SourceError) as caught:
        read_dictionary(path)
    assert caught.value.where == f"{path}:{line}"
    assert says in str(caught.value)


def test_our_yaml(tmp_path: Path) -> None:
    path = tmp_path / "dictionary.yaml"
    path.write_text(
        "tables:\n"
        "  orders:\n"
        "    description: one row an order\n"
        "    columns:\n"
        "      status:\n"
        "        name: order status\n"
        "        synonyms: [state, stage]\n"
        "        values: {3: shipped, on: 'yes', '+': plus}\n"
        "      customer_id: who ordered\n"
        "  plans: what one can buy\n"
        "  empty:\n"
    )
    dictionary = Dictionary(tuple(read_dictionary(path)))
    assert dictionary.describe_table("Orders") == "one row an order"
    assert dictionary.describe_table("plans") == "what one can buy"
    assert dictionary.names("orders", "status") == ("order status", "state", "stage", "status")
    assert dictionary.value_meanings("orders", "status") == {"+": "plus", "3": "shipped", "on": "yes"}
    assert dictionary.describe_column("orders", "customer_id") == "who ordered"


def test_an_empty_yaml_has_no_entries(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("# nothing yet\n")
    assert read_dictionary(tmp_path / "a.yaml") == []


def test_other_wrong_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        read_dictionary(tmp_path / "missing.yaml")
    with pytest.raises(SourceError, match="no CSV"):
        read_dictionary(tmp_path)
    (tmp_path / "a.csv").write_text("name,meaning\nx,y\n")
    with pytest.raises(SourceError, match="original_column_name"):
        read_dictionary(tmp_path / "a.csv")
    (tmp_path / "a.json").write_text('{"a": \n')
    with pytest.raises(SourceError) as caught:
        read_dictionary(tmp_path / "a.json")
    assert caught.value.where == f"{tmp_path / 'a.json'}:2"
    (tmp_path / "b.json").write_text('{"status": "no key"}')
    with pytest.raises(SourceError, match="database"):
        read_dictionary(tmp_path / "b.json")


def test_all_bird_dictionaries_load_and_speak_of_columns_that_exist() -> None:
    schemas = load_tables_json(data_dir("bird", "dev_tables.json"))
    coded = 0
    for name, schema in schemas.items():
        entries = read_dictionary(data_dir("bird", "database_description"), name)
        known = [e for e in entries if (t := schema.table(e.table)) and e.column and t.column(e.column)]
        assert len(known) > 0.9 * len(entries), name
        described = {(e.table, e.column) for e in entries if e.value is None}
        assert len(described) > 0.5 * sum(len(t.columns) for t in schema.tables), name
        coded += len({(e.table, e.column) for e in entries if e.value is not None})
    assert coded > 40


def test_bird_codes_that_matter() -> None:
    folder = data_dir("bird", "database_description")
    financial = Dictionary(tuple(read_dictionary(folder / "financial")))
    assert financial.name_of("district", "A11") == "average salary"
    assert financial.value_meanings("client", "gender") == {"F": "female", "M": "male"}
    assert financial.describe_value("loan", "status", "D") == "running contract, client in debt"
    assert (
        financial.describe_value("trans", "k_symbol", "SANKC. UROK")
        == "sanction interest if negative balance"
    )
    assert financial.value_meanings("disp", "type") == {}
    assert financial.value_meanings("loan", "amount") == {}
    medical = Dictionary(tuple(read_dictionary(folder / "thrombosis_prediction")))
    assert medical.describe_value("examination", "kct", "+") == "positive"
    assert medical.describe_value("examination", "thrombosis", "3") == "positive (mild)"
    assert "outpatient" in (medical.describe_value("patient", "admission", "-") or "")
    assert medical.value_meanings("laboratory", "got") == {}


def test_column_meanings_of_one_database() -> None:
    entries = read_dictionary(data_dir("bird", "column_meaning.json"), "financial")
    dictionary = Dictionary(tuple(entries))
    assert dictionary.describe_value("order", "k_symbol", "SIPO") == "household payment"
    assert not any(e.table == "superhero" for e in entries)
    assert len(read_dictionary(data_dir("bird", "train_column_meaning.json"))) > 3400


# ------------------------------------------------------------------ what the history says


def test_the_name_most_scripts_use_comes_first() -> None:
    column = ("district.a11",)
    namings = [
        Naming("d.A11", alias, column)
        for alias in ("avg_salary", "averageSalary", "averageSalary", "x", "A11")
    ]
    (entry,) = entries_from_namings(namings)
    assert (entry.name, entry.synonyms, entry.support, entry.source) == (
        "average salary",
        ("avg salary",),
        2,
        "history",
    )


def test_names_that_tie_and_names_of_roles_name_nothing() -> None:
    namings = [Naming("doc.nm", alias, ("doc.nm",)) for alias in ("doctor", "chief")]
    assert entries_from_namings(namings) == []
    assert entries_from_namings([Naming("doc.nm", "chief"), Naming("doc.nm", "chief", ("",))]) == []
    (entry,) = entries_from_namings([*namings, namings[0]])
    assert (entry.name, entry.synonyms) == ("doctor", ("chief",))
    (entry,) = entries_from_namings([Naming('"order"."St"', "state", ('"order"."St"',))])
    assert (entry.table, entry.column, entry.name) == ("order", "st", "state")


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT e.nm AS doctor, b.nm AS chief FROM doc e LEFT JOIN doc b ON b.id = e.boss", [(), ()]),
        ("SELECT nm AS chief FROM doc WHERE id IN (SELECT boss FROM doc)", [()]),
        ("SELECT id FROM doc WHERE id IN (SELECT boss AS chief FROM doc)", [()]),
        ("SELECT x.st AS status FROM (SELECT st FROM orders) x", [("orders.st",)]),
        (
            "WITH o AS (SELECT st AS status, id FROM orders), a AS (SELECT id FROM o),"
            " b AS (SELECT id FROM o) SELECT a.id FROM a JOIN b ON a.id = b.id",
            [("orders.st",)],
        ),
    ],
)
def test_a_role_of_a_table_that_stands_twice_is_no_name(sql: str, columns: list[tuple[str, ...]]) -> None:
    assert [naming.columns for naming in parse_script(sql, "postgres").namings] == columns


def test_case_gives_codes_their_meanings() -> None:
    namings = [
        Naming(
            "CASE WHEN o.status = 3 THEN 'refunded' WHEN o.status IN (4, 5) THEN 'lost' END",
            "x",
            ("orders.status",),
        ),
        Naming("case status when 3 then 'refunded' when 6 then 1 else 'no' end", "x", ("orders.status",)),
        Naming("CASE status WHEN 3 THEN 'paidBack' END", "x", ("orders.status",)),
        Naming("CASE WHEN amount > 3 THEN 'big' END", "size", ("orders.amount",)),
        Naming("CASE WHEN", "broken", ("orders.amount",)),
    ]
    entries = entries_from_namings(namings)
    assert [(e.value, e.description, e.support) for e in entries] == [
        ("3", "refunded", 2),
        ("4", "lost", 1),
        ("5", "lost", 1),
    ]


def test_a_formula_does_not_name_a_column() -> None:
    assert entries_from_namings([Naming("sum(o.amount)", "revenue", ("orders.amount",))]) == []
