// A user with a browser that supports only cookies, redirects and forms.
import assert from 'node:assert/strict';

import { parseHTML } from 'linkedom';

export class Person {
  // A user of the demonstration catalog. `base` is the service's URL.
  constructor(base, email, password) {
    Object.assign(this, { base, email, password, cookies: new Map() });
  }

  // Follows the application's link, logs in, and answers the consent page with `word` (allow or deny) if it is shown.
  // Returns the application's request: a URL, or with form_post a Request.
  async answer(link, word) {
    let answer = await this.#ask(new URL(link));
    for (let step = 0; step < 10; step += 1) {
      const to = answer.headers.get('location');
      if (to) {
        const url = new URL(to, answer.url);
        if (url.origin !== new URL(this.base).origin) return url;
        answer = await this.#ask(url);
        continue;
      }
      const { document } = parseHTML(await answer.text());
      const [form, button] = this.#form(document, answer.url, word);
      const fields = new URLSearchParams();
      for (const input of form.querySelectorAll('input[name]')) {
        const typed = { email: this.email, password: this.password }[input.getAttribute('name')];
        fields.append(input.getAttribute('name'), typed ?? input.getAttribute('value') ?? '');
      }
      if (button.getAttribute('name')) fields.append(button.getAttribute('name'), button.getAttribute('value'));
      const action = new URL(form.getAttribute('action'), answer.url);
      const post = { method: 'POST', body: fields };
      if (action.origin !== new URL(this.base).origin) return new Request(action, post);
      answer = await this.#ask(action, post);
    }
    throw new Error('this leads nowhere');
  }

  allow(link) {
    return this.answer(link, 'allow');
  }

  deny(link) {
    return this.answer(link, 'deny');
  }

  async #ask(url, how = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { ...how, redirect: 'manual', headers: { Cookie: cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      this.cookies.set(name, value);
    }
    return answer;
  }

  // Returns the form that continues the flow, and its button.
  #form(document, url, word) {
    for (const form of document.querySelectorAll('form')) {
      const button = form.querySelector(`button[name=answer][value=${word}]`);
      if (button) return [form, button];
    }
    const form = document.querySelector('form:not([action="/logout"])');
    assert.ok(form, `${url} has no form that goes on: ${document.querySelector('main')?.textContent}`);
    return [form, form.querySelector('button')];
  }
}
