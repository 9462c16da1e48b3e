// words: the texts of a player in the language of its code, its page or its viewer. English is in the code; each other
// language of worker/pages/languages has a file, which is loaded if a player needs it.
const kPrefix = 'words-';
const kPatience = 3000; // ms that a player waits for the file; then it is English

// Marks a text for scripts/words, which collects the texts to translate.
export const translatable = (text) => text;

// 'zh-Hant' for 'zh-TW', by the script that a language most often has there; undefined for other texts than tags.
function written(tag) {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return `${language === 'no' ? 'nb' : language}-${script}`;
  } catch {
    return undefined;
  }
}

// Returns the first of the wished languages that exists: as it is named, else in its script, else one of its shorter forms
// (RFC 4647 lookup), 'de' for 'de-AT'; otherwise English.
export function choose(wished, languages) {
  const all = ['en', ...languages];
  for (const each of wished) {
    let tag = String(each || '').toLowerCase();
    const as = tag && !all.includes(tag) && written(tag);
    const found = as && all.find((one) => written(one) === as);
    if (found) return found;
    for (; tag; tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-')))) if (all.includes(tag)) return tag;
  }
  return 'en';
}

// The language of the page at an element, also in a shadow root; undefined if the page names none.
export function languageAt(element) {
  for (let at = element; at; at = at.parentNode || at.host) if (at.lang) return at.lang;
  return undefined;
}

// The text with values in the place of {name}.
export const filled = (text, values = {}) =>
  text.replace(/\{(\w+)\}/g, (mark, name) => (Object.hasOwn(values, name) ? values[name] : mark));

export class Words {
  // For a player at `element`, or in our own frame, whose markup is not in the viewer's language. `ready` resolves once
  // the words have loaded, or it is English.
  constructor(element, { language }, isFrame) {
    const { svc } = window;
    const languages = Object.keys(svc.names).filter((name) => name.startsWith(kPrefix)).map((name) => name.slice(kPrefix.length));
    const tag = choose([language, ...(isFrame ? [] : [languageAt(element)]), ...navigator.languages], languages);
    this.tag = 'en';
    this.texts = {};
    this.say = (text, values) => filled(Object.hasOwn(this.texts, text) ? this.texts[text] : text, values);
    this.ready = tag === 'en' ? Promise.resolve() : Promise.race([
      svc.part(kPrefix + tag).then((texts) => Object.assign(this, { tag, texts }), () => {}),
      new Promise((resolve) => { setTimeout(resolve, kPatience); })]);
  }
}
