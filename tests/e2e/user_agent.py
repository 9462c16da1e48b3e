"""The user agent of OAuth: a browser and its pages, for the tests of login and authorization and for the benchmark."""

import html.parser
import urllib.parse

PASSWORDS = {"olivia@acme.example": "olivia-demo-password", "manuel@acme.example": "manuel-demo-password",
             "uma@acme.example": "uma-demo-password", "clara@closed.example": "clara-demo-password"}


class Page(html.parser.HTMLParser):
    """The forms of a page, its elements, and its text."""

    def __init__(self, answer):
        super().__init__()
        self.answer, self.forms, self.elements, self.text = answer, [], [], ""
        self.textarea = None  # the name of the open textarea
        self.feed(answer.body.decode())
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        if tag == "form":
            self.forms.append({"action": attributes["action"], "fields": {}, "buttons": [], "radios": [],
                               "checkboxes": []})
        elif tag == "input" and attributes.get("type") in ("radio", "checkbox"):
            self.forms[-1][{"radio": "radios", "checkbox": "checkboxes"}[attributes["type"]]].append(attributes)
        elif tag == "input" and "name" in attributes:
            self.forms[-1]["fields"][attributes["name"]] = attributes.get("value", "")
        elif tag == "textarea" and "name" in attributes:
            self.textarea = attributes["name"]
            self.forms[-1]["fields"][self.textarea] = ""
        elif tag == "button":
            self.forms[-1]["buttons"].append((attributes.get("name"), attributes.get("value")))

    def handle_endtag(self, tag):
        if tag == "textarea":
            self.textarea = None

    def handle_data(self, data):
        if self.textarea:
            self.forms[-1]["fields"][self.textarea] += data
        self.text += data

    def form(self, action):
        (form,) = [form for form in self.forms if form["action"] == action]
        return form


class Browser:
    """Keeps cookies as a browser does. Only log_in() and answer() follow a redirect, to another page of the flow."""

    def __init__(self, nginx):
        self.nginx, self.cookies = nginx, {}

    def request(self, target, host="app.svc.example", fields=None):
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        how = {}
        if fields is not None:
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "Origin": "null"}
            how = {"method": "POST", "body": urllib.parse.urlencode(fields).encode()}
        answer = self.nginx.request(target, host=host, headers=headers, **how)
        if cookie := answer.headers.get("set-cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer

    def page(self, target, status=200, **how):
        answer = self.request(target, **how)
        assert answer.status == status, (answer.status, answer.headers, answer.body[:2000])
        return Page(answer)

    def log_in(self, page, email, password=None):
        """Submits the login form, and returns the response at the path that the login redirects to."""
        form = page.form("/login")
        fields = {**form["fields"], "email": email, "password": password or PASSWORDS[email]}
        answer = self.request("/login", fields=fields)
        assert answer.status == 303, answer.body
        assert answer.headers["location"].startswith(("/oauth/authorize?", "/settings"))
        return self.request(answer.headers["location"])

    def answer(self, page, word, **more):
        form = page.form("/oauth/authorize")
        assert ("answer", word) in form["buttons"], form
        answer = self.request("/oauth/authorize", fields={**form["fields"], "answer": word, **more})
        following = answer.headers.get("location", "").startswith("/oauth/authorize?")
        return self.request(answer.headers["location"]) if following else answer
