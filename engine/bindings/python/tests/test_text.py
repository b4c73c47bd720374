"""Single strings: all operations, and the errors of invalid arguments."""

import copy
import pickle

import pytest

from mysql_collation import KEY_FORMAT, Array, Collation, collations

AI_CI = Collation("utf8mb4_0900_ai_ci", flavour="mysql")
LATIN1 = Collation("latin1_swedish_ci")


def test_order_equality_and_keys_agree():
    words = ["", "a", "A", "á", "b", "ß", "ss", "Straße", "STRASSE", "strasse ", "😀", "漢"]
    for a in words:
        for b in words:
            order = AI_CI.compare(a, b)
            assert order == -AI_CI.compare(b, a)
            assert AI_CI.equal(a, b) == (order == 0)
            keys = AI_CI.sort_key(a), AI_CI.sort_key(b)
            assert order == (keys[0] > keys[1]) - (keys[0] < keys[1])
            if order == 0:
                assert AI_CI.hash(a) == AI_CI.hash(b)
    assert AI_CI.compare("strasse", "strasse ") == -1
    assert Collation("utf8mb4_general_ci").compare("strasse", "strasse ") == 0


def test_sorted_takes_the_key():
    assert sorted(["Zug", "Ähre", "Apfel"], key=AI_CI.sort_key) == ["Ähre", "Apfel", "Zug"]


def test_like_and_its_escape():
    assert AI_CI.like("Müller", "m_ll%")
    assert not AI_CI.like("Müller", "m_ll")
    assert AI_CI.like("100%", "100\\%")
    assert AI_CI.like("100%", "100|%", escape="|")
    assert not AI_CI.like("100%", "100\\%", escape=None)


def test_ranges_hold_the_keys_of_matches():
    start, end = AI_CI.prefix_range("mü")
    assert [start <= AI_CI.sort_key(word) < end for word in ["Mai", "MULLER", "Mümmeln", "Mzz"]] == [False, True, True, False]
    assert AI_CI.like_range("50\\%_o%") == AI_CI.prefix_range("50%")
    assert AI_CI.like_range("%ing") == (b"", None)
    # In Czech, ch is a letter after h.
    czech = Collation("utf8mb4_czech_ci", "mysql")
    start, end = czech.prefix_range("c")
    assert start <= czech.sort_key("chata") < end


def test_searches_count_characters_of_str_and_bytes_of_bytes():
    assert AI_CI.find("Große STRASSE", "straße") == 6
    assert AI_CI.find("Große STRASSE".encode(), "straße") == 7
    assert AI_CI.find("é", "e", equal_length=True) == -1
    assert LATIN1.find("äöü", "Ü") == 2
    assert AI_CI.starts_with("Müller", "MUL") and not AI_CI.starts_with("Müller", "M%")


def test_results_have_the_type_of_the_text():
    assert AI_CI.replace("aAa", "a", b"--") == "--A--"
    assert AI_CI.replace(b"aAa", "a", "--") == b"--A--"
    assert LATIN1.upper("ärger") == "ÄRGER" and LATIN1.lower(b"\xc4") == b"\xe4"
    assert Collation("utf8mb4_turkish_ci", "mysql").upper("istanbul") == "İSTANBUL"
    letters = "abcdefghijklmnopqrstuvwxyz"
    assert AI_CI.split("a", "z", 4, letters) == ["g", "m", "s"]
    assert AI_CI.split(b"a", "z", 2, letters) == [b"m"]
    assert AI_CI.compare("Mü", AI_CI.split("Mü", "Mz", 2)[0]) < 0
    assert AI_CI.prefix_upper_bound("Mü", letters) == "Mv"
    assert AI_CI.prefix_upper_bound("z", letters) is None


def test_keys_of_groups_and_prefixes_and_the_stable_hash():
    unicode = Collation("utf8mb4_unicode_ci", "mysql")
    assert unicode.equal("a", "a\u00a0") and unicode.group_key("a") != unicode.group_key("a\u00a0")
    assert AI_CI.prefix_index_key("Müller", 3) == AI_CI.prefix_index_key("MULTI", 3) == AI_CI.sort_key("mul")
    assert AI_CI.stable_hash("abc") == 0xB5D57E1D2ACC8E09
    assert AI_CI.stable_hash("Straße", 7) == AI_CI.stable_hash("STRASSE", seed=7) != AI_CI.stable_hash("STRASSE")


@pytest.mark.parametrize("operation", ["sort_keys", "hashes", "argsort", "group_ids", "duplicates"])
def test_one_string_is_no_column(operation):
    for text in ["abc", b"abc"]:
        with pytest.raises(TypeError, match="put it into a list"):
            getattr(AI_CI, operation)(text)


def test_weight_string_is_the_servers():
    assert AI_CI.weight_string("a") == bytes.fromhex("1c47")
    assert Collation("utf8mb4_general_ci").weight_string("ab") == bytes.fromhex("00410042")


def test_str_is_brought_into_the_character_set_and_bytes_are_taken_as_they_are():
    assert LATIN1.weight_string("é") == LATIN1.weight_string(b"\xe9")
    assert LATIN1.equal("€", b"\x80")
    assert Collation("utf16_general_ci").equal("ä", b"\x00\xc4")
    assert Collation("binary").compare("é", "é".encode()) == 0
    with pytest.raises(UnicodeEncodeError, match="latin1") as refused:
        LATIN1.compare("a漢b", "a")
    assert (refused.value.start, refused.value.end) == (1, 2)
    with pytest.raises(UnicodeEncodeError):
        Collation("utf8mb3_general_ci").sort_key("😀")
    with pytest.raises(UnicodeEncodeError):
        AI_CI.sort_key("\ud800")


def test_names_flavours_and_their_errors():
    assert Collation("UTF8MB4_GENERAL_CI").name == "utf8mb4_general_ci"
    assert Collation("uca1400_ai_ci").flavour == "mariadb"
    with pytest.raises(ValueError, match="flavour='mysql' or flavour='mariadb'"):
        Collation("utf8mb4_0900_ai_ci")
    with pytest.raises(ValueError, match="'mysql' or 'mariadb'"):
        Collation("utf8mb4_general_ci", "percona")
    with pytest.raises(LookupError, match="did you mean utf8mb4_general_ci"):
        Collation("utf8mb4_genral_ci")
    with pytest.raises(LookupError, match="but MariaDB has"):
        Collation("utf8mb4_uca1400_ai_ci", "mysql")
    with pytest.raises(LookupError, match="MySQL has no collation 0"):
        Collation.by_id(0, "mysql")
    for flavour in ("mysql", "mariadb"):
        names = collations(flavour)
        assert names == sorted(names) and len(names) == {"mysql": 286, "mariadb": 1288}[flavour]
        for name in names:
            collation = Collation(name, flavour)
            assert (collation.name, collation.flavour) == (name, flavour)
            assert Collation.by_id(collation.id, flavour) == collation


def test_attributes():
    assert (AI_CI.id, AI_CI.charset, AI_CI.pad_space) == (255, "utf8mb4", False)
    assert (LATIN1.id, LATIN1.charset, LATIN1.pad_space) == (8, "latin1", True)
    assert repr(AI_CI) == "Collation('utf8mb4_0900_ai_ci', 'mysql')"
    assert KEY_FORMAT >= 1


def test_collations_are_values():
    for clone in (pickle.loads(pickle.dumps(AI_CI)), copy.copy(AI_CI), copy.deepcopy(AI_CI), eval(repr(AI_CI))):
        assert clone == AI_CI and hash(clone) == hash(AI_CI)
    assert AI_CI != Collation("utf8mb4_0900_ai_ci", "mariadb")
    assert AI_CI != "utf8mb4_0900_ai_ci"


@pytest.mark.parametrize("argument", [None, 1, 1.5, ["a"], bytearray(b"a")])
def test_what_is_no_string_is_a_type_error(argument):
    for call in (AI_CI.sort_key, AI_CI.hash, AI_CI.weight_string, lambda text: AI_CI.compare("a", text)):
        with pytest.raises(TypeError, match="expected str or bytes"):
            call(argument)


def test_arrays_are_made_here_only():
    with pytest.raises(TypeError):
        Array()
