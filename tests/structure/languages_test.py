"""The catalogs of worker/pages/languages: each has exactly the texts that pages and player show in several languages."""

import importlib.machinery
import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/words"


def load():
    loader = importlib.machinery.SourceFileLoader("words", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("words", loader))
    loader.exec_module(module)
    return module


words = load()
HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\nPlural-Forms: nplurals=2; plural=n != 1;\\n"\n\n'
TEXTS = {"Log in": True, "{count} minute": True}
WHOLE = 'msgid "Log in"\nmsgstr "Accedi"\n\nmsgid "{count} minute"\nmsgid_plural "{count} minutes"\n' \
        'msgstr[0] "{count} minuto"\nmsgstr[1] "{count} minuti"\n'


def test_pages_W101_each_catalog_has_each_text():
    done = subprocess.run([SCRIPT, "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert len(list(words.LANGUAGES.glob("*.po"))) >= 6


@pytest.mark.parametrize("catalog, problems", [
    (WHOLE, []),
    (WHOLE + '\n#~ msgid "Log out"\n#~ msgstr "Esci"\n', []),
    (WHOLE.replace('"Accedi"', '""'), ["it.po: not translated: Log in"]),
    (WHOLE.replace('msgid "Log in"', '#, fuzzy\nmsgid "Log in"'), ["it.po: not translated: Log in"]),
    (WHOLE.replace('"{count} minuti"', '""'), ["it.po: not translated: {count} minute"]),
    (WHOLE.replace("Log in", "Log out"), ["it.po: not translated: Log in", "it.po: not used any more: Log out"]),
    (WHOLE.replace('"Accedi"', '""\n"Acc"\n"edi"'), []),
])
def test_a_text_that_lacks_or_is_not_used_is_named(catalog, problems):
    assert words.problems_of("it.po", HEADER + catalog, TEXTS) == problems


def test_texts_are_collected_from_templates_program_and_player():
    texts = words.messages_of(words.collected())
    for text in ("<bdi>{{CLIENT}}</bdi> wants access to <bdi>{{ACCOUNT}}</bdi>", "upload files", "Too many requests",
                 "There were too many failed attempts. Try again in {count} second."):
        assert text in texts, text


@pytest.mark.parametrize("name", ["authorize_barrier", "authorize_choice", "authorize_consent", "authorize_form_post", "login",
                                  "page_frame", "problem", "signed_in"])
def test_pages_in_several_languages_have_no_text_in_one(name):
    text = (words.TEMPLATES / f"{name}.tpl").read_text(encoding="utf-8")
    for mark in (r"\{\{_\}\}.*?\{\{/_\}\}", r"\{\{.*?\}\}", r"<[^>]*>", r"&\w+;"):
        text = re.sub(mark, " ", text, flags=re.DOTALL)
    assert re.findall(r"\w+", text) == [], "put texts between {{_}} and {{/_}}"


# What an earlier version said: users have videos, files and items; tokens are created; links expire.
UNSAID = re.compile(r"\b(?:an?|the|this|that|another|each|one) media\b|(?-i:\bEnd it\b)|Make the token|Into the project|you nowhere"
                    r"|has not ended|not your doing", re.IGNORECASE)


def test_pages_call_things_what_their_users_call_them():
    texts = {path.name: re.sub(r"\{\{.*?\}\}|<[^>]*>", " ", path.read_text(encoding="utf-8"))
             for path in words.TEMPLATES.glob("*.tpl") if not path.name.startswith("developers_")}
    texts["messages"] = "\n".join(words.messages_of(words.collected()))
    found = [f"{name}: {match[0]}" for name, text in texts.items() for match in UNSAID.finditer(" ".join(text.split()))]
    assert found == []


@pytest.mark.parametrize("path", sorted(words.LANGUAGES.glob("*.po")), ids=lambda path: path.stem)
def test_pages_W177_consent_names_the_settings_as_the_bar_does(path):
    texts = words.translations(path)
    (consent,) = [text for text in texts if "under Settings, Connected applications" in text]
    for name in ("Settings", "Connected applications"):
        assert texts[name] in texts[consent], texts[consent]


def test_error_pages_of_nginx_have_each_text_in_each_language():
    texts = words.texts_of_errors()
    assert {"Page not found", "This file is too large"} <= set(texts["title"])
    text = words.ERRORS.read_text(encoding="utf-8")
    for path in words.LANGUAGES.glob("*.po"):
        translated = words.translations(path)
        for each in (*texts["title"], *texts["advice"]):
            assert f'"~^{path.stem} {words.nginx_regex(each)}$" "{words.nginx_text(translated[each])}";' in text
