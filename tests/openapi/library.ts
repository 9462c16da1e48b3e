// A program against the types of the document: it lists, edits, captions and deletes. A field that the document lacks
// does not compile.
import createClient, { type Middleware } from 'openapi-fetch';

import type { paths } from './schema.js';

export interface Outcome {
  names: string[];
  cursors: number;
  project: string;
  edited: string;
  refused: string[];
  text: string;
  colour: unknown;
  left: number;
}

// `each` sees every response.
export async function useLibrary(base: string, token: string, each: (answer: Response) => void): Promise<Outcome> {
  const client = createClient<paths>({ baseUrl: base, headers: { Authorization: `Bearer ${token}` } });
  const watching: Middleware = { onResponse: ({ response }) => each(response) };
  client.use(watching);

  const listed = await client.GET('/v1/medias', { params: { query: { sort_by: 'name', sort_direction: '1', per_page: 100 } } });
  if (!listed.data) throw new Error(listed.error.error_description);
  const names = listed.data.map((media) => media.name);
  const media = listed.data[0]!.hashed_id;
  const path = { media };

  const created = await client.POST('/v1/projects', { body: { name: 'Films of 2026', description: 'All of them' } });
  if (!created.data) throw new Error(created.error.error_description);
  const project = created.data.hashedId;
  const moved = await client.PUT('/v1/medias/move', { body: { hashed_ids: [media], project_id: project } });
  if (!moved.data) throw new Error(moved.error.error_description);

  const seen = await client.GET('/v1/medias/{media}', { params: { path } });
  const tag = seen.response.headers.get('etag')!;
  const edit = { params: { path, header: { 'If-Match': tag } }, body: { name: 'Named by its types', description: null } };
  const edited = await client.PUT('/v1/medias/{media}', edit);
  if (!edited.data) throw new Error(edited.error.error_description);
  const late = await client.PUT('/v1/medias/{media}', edit);
  const wrong = await client.PUT('/v1/medias/{media}', { params: { path }, body: { name: '' } });
  const refused = [late.error!.error, wrong.error!.error];

  const captions = 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n';
  await client.POST('/v1/medias/{media}/captions', { params: { path }, body: { language: 'pl', caption_file: captions } });
  const polish = { params: { path: { media, language: 'pl' } } };
  const read = await client.GET('/v1/medias/{media}/captions/{language}', polish);
  // By Accept the same path returns text, too.
  if (!read.data || typeof read.data === 'string') throw new Error(read.error?.error_description);
  const text = read.data.text ?? '';
  await client.DELETE('/v1/medias/{media}/captions/{language}', polish);

  await client.PUT('/v1/medias/{media}/customizations', { params: { path }, body: { playerColor: '#3366cc' } });
  const look = await client.GET('/v1/medias/{media}/customizations', { params: { path } });
  const colour = look.data?.playerColor;

  let cursors = 0;
  for (let after: string | undefined; ; cursors += 1) {
    const query = { 'cursor[enabled]': '1' as const, per_page: 5, ...(after === undefined ? {} : { 'cursor[after]': after }) };
    const page = await client.GET('/v1/medias', { params: { query } });
    if (!page.data) throw new Error(page.error.error_description);
    if (page.data.length === 0) break;
    after = page.data.at(-1)!.cursor;
  }

  const full = await client.DELETE('/v1/projects/{project}', { params: { path: { project } } });
  refused.push(full.error!.error);
  await client.DELETE('/v1/medias/{media}', { params: { path } });
  await client.DELETE('/v1/projects/{project}', { params: { path: { project } } });
  const rest = await client.GET('/v1/medias');
  return { names, cursors, project, edited: edited.data.name, refused, text, colour, left: rest.data!.length };
}
