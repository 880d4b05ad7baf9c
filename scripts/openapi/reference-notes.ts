import type { JsonSchema, Components } from './json-schema.ts';
import { ADDRESS, HASH } from './json-schema.ts';

/**
 * The meaning, type and unit of fields, and the text of sections, as given in the reference pages.
 */

/** A row in a table of fields. */
export type FieldNote = {
  readonly path: readonly string[];
  readonly type: string;
  readonly meaning: string;
};

type Section = {
  /** The first paragraph of the section. */
  readonly summary: string;
  readonly fields: readonly FieldNote[];
  /** Anchors of the sections that this section links to. */
  readonly links: readonly string[];
};

/** Returns the pages' sections, keyed by the lower-case anchor of their heading. */
export function sectionsOf(pages: readonly string[]): ReadonlyMap<string, Section> {
  const sections = new Map<string, Section>();
  for (const page of pages) {
    const parts = page.split(/^#{1,4} (?=\S)/m).slice(1);
    for (const part of parts) {
      const [heading = '', ...lines] = part.split('\n');
      const anchor = heading.replace(/^(?:POST|GET) \//, '').toLowerCase();
      const text = lines.join('\n').replace(/<!-- sample[^]*?<!-- \/sample -->/g, '');
      if (!sections.has(anchor)) sections.set(anchor, sectionOf(text));
    }
  }
  return sections;
}

function sectionOf(text: string): Section {
  const blocks = text.split(/\n{2,}/).map((each) => each.trim());
  const summary = blocks.find((each) => /^[A-Z`]/.test(each)) ?? '';
  const tables = blocks.filter((each) => /^\| [^|]*\b[Ff]ield\b[^|]*\|/.test(each));
  const links = [...text.matchAll(/\]\([\w-]*(?:\.md)?#([\w-]+)\)/g)].map(([, each]) => each!);
  return { summary: plain(summary), fields: tables.flatMap(rowsOf), links };
}

function rowsOf(table: string): FieldNote[] {
  return table
    .split('\n')
    .slice(2)
    .flatMap((row) => {
      const [cell = '', type = '', meaning = ''] = row.slice(2, -2).split(' | ');
      const [names = '', parent] = cell.split(/ of `([^`]+)`/);
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => ({
        path: [...(parent === undefined ? [] : [parent]), ...name!.replaceAll('[]', '').split('.')],
        type: type.trim(),
        meaning: withoutPlace(plain(meaning.trim())),
      }));
    });
}

/** Returns the text without links. */
function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replace(/\s+/g, ' ');
}

/** Returns the meaning without references to other tables on the page. */
const withoutPlace = (meaning: string): string =>
  meaning.replace(/(?:^|[,;] )see (?:above|below|the next table|the table below)$/, '');

/** Matches the names of schemas that clients send. */
const REQUEST = /(?:Query|Request|Action|Subscription)$/;

/** Matches meanings that apply only to request fields. */
const REQUEST_ONLY = /^(?:optional|default): /;

/**
 * Adds the notes from sections to the fields of schemas. A field's full path starts with the name
 * of its schema, and its row is the one whose path matches the longest end of that path. The
 * field's own section has priority over linked sections, and linked sections over all others. A
 * note from another section does not replace an existing description.
 */
export class Annotator {
  readonly #sections: ReadonlyMap<string, Section>;
  readonly #components: Components;
  readonly #shared: readonly FieldNote[];
  /** Fields described by a note. All other fields keep the comment in the type definition. */
  readonly #noted = new Set<JsonSchema>();

  constructor(
    sections: ReadonlyMap<string, Section>,
    components: Components,
    shared: readonly FieldNote[],
  ) {
    this.#sections = sections;
    this.#components = components;
    this.#shared = shared;
  }

  /**
   * Describes the fields below a schema from a section. If the section has no note on a field, the
   * linked sections are used.
   */
  annotate(schema: JsonSchema, anchor: string): void {
    const section = this.#sections.get(anchor.toLowerCase());
    if (section === undefined) throw new Error(`the reference has no section ${anchor}`);
    const { title = '' } = this.#resolved(schema);
    const exact = this.#shared.filter(({ path }) => path.length > 1);
    const linked = section.links.flatMap((each) => this.#sections.get(each)?.fields ?? []);
    for (const fields of [section.fields, linked]) {
      const notes = REQUEST.test(title)
        ? fields
        : fields.filter(({ meaning }) => !REQUEST_ONLY.test(meaning));
      this.#walk(schema, [title], [...notes, ...exact], new Set());
    }
  }

  /**
   * Describes the remaining fields from other notes, or by their name if it has the same meaning
   * everywhere.
   */
  finish(schemas: readonly JsonSchema[]): void {
    const byName = new Map<string, FieldNote | undefined>();
    for (const { fields } of this.#sections.values()) {
      for (const note of fields) {
        const name = note.path.at(-1)!;
        if (note.meaning === '' || note.meaning.startsWith('as in ')) continue;
        const known = byName.get(name);
        const isAmbiguous = byName.has(name) && known?.meaning !== note.meaning;
        byName.set(name, isAmbiguous ? undefined : { ...note, path: [name] });
      }
    }
    const unique = [...byName.values()].filter((note) => note !== undefined);
    for (const notes of [this.#shared, unique]) {
      for (const schema of schemas) {
        this.#walk(schema, [schema.title ?? ''], notes, new Set(), (field) => {
          const isConstant = notes === unique && field.const !== undefined;
          return field.description === undefined && !isConstant;
        });
      }
    }
  }

  #walk(
    schema: JsonSchema,
    path: readonly string[],
    notes: readonly FieldNote[],
    seen: Set<JsonSchema>,
    takesNote: (field: JsonSchema) => boolean = () => true,
  ): void {
    const target = this.#resolved(schema);
    if (seen.has(target)) return;
    seen.add(target);
    for (const each of [
      ...(target.anyOf ?? []),
      ...(target.oneOf ?? []),
      ...(target.allOf ?? []),
      ...(target.prefixItems ?? []),
      ...(target.items === undefined || target.items === false ? [] : [target.items]),
    ]) {
      this.#walk(each, path, notes, seen, takesNote);
    }
    for (const [name, field] of Object.entries(target.properties ?? {})) {
      const at = [...path, name];
      if (!this.#noted.has(field)) {
        const note = longest(notes, at);
        if (note !== undefined) {
          this.#noted.add(field);
          if (takesNote(field)) field.description = descriptionOf(note, field);
          else if (note.type === 'time' && field.$ref === undefined)
            field.description += ' Unit: ms.';
          refine(field, note);
        }
      }
      this.#walk(field, at, notes, seen, takesNote);
    }
  }

  #resolved(schema: JsonSchema): JsonSchema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : this.#components.get(name)!;
  }
}

function longest(notes: readonly FieldNote[], path: readonly string[]): FieldNote | undefined {
  let best: FieldNote | undefined;
  for (const note of notes) {
    if (note.meaning === '' || note.meaning.startsWith('as in ')) continue;
    if (note.path.length > path.length || note.path.length <= (best?.path.length ?? 0)) continue;
    if (note.path.every((part, at) => part === path[path.length - note.path.length + at])) {
      best = note;
    }
  }
  return best;
}

/** Returns the kind of a value and its unit. */
function kindOf({ type }: FieldNote): readonly [kind: string, unit: string | undefined] {
  const named = type.replace(/ or null$/, '');
  const [kind = '', unit] = /^(?:decimal|integer|number|object)/.test(type)
    ? named.split(', ')
    : [named];
  return [kind, kind === 'time' ? 'ms' : unit === 'integer' ? undefined : unit];
}

/**
 * Returns the meaning as a sentence, with the unit, and with the default unless the meaning already
 * states it.
 */
function descriptionOf(note: FieldNote, { 'x-default': absent }: JsonSchema): string {
  const [, unit] = kindOf(note);
  const { meaning } = note;
  const sentence = `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`.replace(/\.\.$/, '.');
  const text = unit === undefined ? sentence : `${sentence} Unit: ${unit}.`;
  const isStated = absent === undefined || /default/.test(meaning);
  return isStated ? text : `${text} Default: ${JSON.stringify(absent)}.`;
}

/** Takes the format of the value from the table if it is more precise than the definition. */
function refine(field: JsonSchema, note: FieldNote): void {
  const [kind] = kindOf(note);
  for (const each of [field, ...(field.anyOf ?? [])]) {
    if (each.type === 'number' && /^(?:integer|time)/.test(kind)) {
      each.type = 'integer';
      each.format = 'int64';
    }
    if (each.type !== 'string' || each.enum !== undefined || each.pattern !== undefined) continue;
    if (kind === 'decimal') each.format = 'decimal';
    if (kind === 'address') each.pattern = ADDRESS;
    if (kind === 'hash') each.pattern = HASH;
  }
}
