// option-types: the TypeScript types of the options of <svc-player>, from the table of the service (embed/player_option_table.cpp).
import { readFile } from 'node:fs/promises';

// By its `Allowed`. null: not set; '': an attribute without a value.
const kTypes = {
  Switch: "boolean | 'true' | 'false' | '' | null",
  Color: 'string | null',
  Height: 'number | `${number}` | `${number}p` | null',
  Time: ['number', ...['', 's', 'm', 'm${number}s', 'h', 'h${number}m', 'h${number}s', 'h${number}m${number}s']
    .map((rest) => `\`\${number}${rest}\``), 'null'].join(' | '),
  Volume: 'number | `${number}` | null',
  Url: 'string | null',
};
// Those of code only have no values in the table.
const kOfCode = {
  email: 'string | null',
  playlistLinks: "boolean | 'true' | 'false' | 'auto' | '' | null",
  playlistLoop: kTypes.Switch,
  watch: 'string | null',
};

// Returns the type of each of these options. Throws if the table lacks one, or if its values have no type here.
export async function typesOf(names, table) {
  const rows = (await readFile(table, 'utf8')).matchAll(/^ {4}\{"(\w+)"(?:, Allowed::(\w+))?(?:, "([\w ]+)")?\},$/gm);
  const types = new Map();
  for (const [, name, allowed = 'Switch', choices] of rows) {
    types.set(name, allowed === 'Choice' ? [...choices.split(' ').map((word) => `'${word}'`), 'null'].join(' | ')
      : allowed === 'OnlyCode' ? kOfCode[name] : kTypes[allowed]);
  }
  const missing = names.filter((name) => !types.get(name));
  if (missing.length) throw new Error(`${table} and option-types.js have no values of ${missing.join(', ')}`);
  return names.map((name) => [name, types.get(name)]);
}
