import { lineAt, type Finding, type SourceFile } from './source.ts';

/**
 * Requires every query, action and channel of the venue to be documented, called by a test, offered
 * by the SDK, and announced in a change fragment. A new definition in the protocol is rejected
 * until all of these exist. Each finding names the file.
 */

/**
 * A kind of call that the protocol defines, and the files that hold the other parts of each call.
 */
type Kind = {
  readonly what: 'query' | 'action' | 'channel';
  readonly source: RegExp;
  readonly names: (text: string) => readonly Named[];
  /** The page that describes a call. `*` matches part of a name. */
  readonly page: string;
  /**
   * The SDK files that offer a call, or undefined if the SDK's methods are derived from the
   * definitions.
   */
  readonly sdk?: RegExp;
  readonly isFuzzed: boolean;
};

type Named = { readonly name: string; readonly at: number };

const KINDS: readonly Kind[] = [
  {
    what: 'query',
    source: /^packages\/protocol\/src\/info\/[\w-]+-queries\.ts$/,
    names: (text) => keysOf(text, /^export const \w+_QUERIES = \{\n/gm),
    page: 'docs/reference/info-*.md',
    isFuzzed: true,
  },
  {
    what: 'action',
    source: /^packages\/protocol\/src\/actions\/registry\.ts$/,
    names: (text) => keysOf(text, /^export const ACTIONS = \{\n/gm),
    page: 'docs/reference/exchange.md',
    sdk: /^packages\/sdk\/src\/exchange\/[\w-]+\.ts$/,
    isFuzzed: true,
  },
  {
    what: 'channel',
    source: /^packages\/protocol\/src\/streams\/channels\.ts$/,
    names: (text) => keysOf(text, /^export const \w+_CHANNELS = \{\n/gm),
    page: 'docs/reference/streams.md',
    isFuzzed: false,
  },
];

const FUZZ_SAMPLES = 'tests/fuzz/samples.ts';

/** Calls that may lack a part, by name and rule, with the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  'multiSig surface-fuzz':
    'an envelope around another action; tests/fuzz/signed-requests.ts wraps the samples',
};

/** Calls that were announced before fragments had to name them. No entries may be added. */
const ANNOUNCED_BEFORE: ReadonlySet<string> = new Set([
  'actionStatus',
  'agentOwner',
  'approveAgent',
  'approveBuilderFee',
  'approvedAgents',
  'cancelByCloid',
  'claimBuilderRewards',
  'convertToMultiSigUser',
  'feeTierInfo',
  'modify2',
  'orderUpdates',
  'perpClearinghouseState',
  'rateLimit',
  'revokeBuilderFee',
  'tokenSend',
  'updateIsolatedMargin',
  'updateLeverage',
  'updateMarginMode',
  'updatePositionMode',
  'withdraw3',
]);

export function checkSurface(files: readonly SourceFile[]): Finding[] {
  const tree = new Tree(files);
  return KINDS.flatMap((kind) =>
    files
      .filter(({ path }) => kind.source.test(path))
      .flatMap((file) =>
        kind.names(file.text).flatMap((named) => faultsOf(tree, kind, file, named)),
      ),
  );
}

/**
 * Returns the names of all calls that a repository defines. A test compares them with the program.
 */
export function surfaceOf(
  files: readonly SourceFile[],
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    KINDS.map((kind) => [
      kind.what,
      files
        .filter(({ path }) => kind.source.test(path))
        .flatMap(({ text }) => kind.names(text).map(({ name }) => name)),
    ]),
  );
}

/** Caches the texts that are searched repeatedly. */
class Tree {
  readonly #files: readonly SourceFile[];
  readonly #news: string;
  readonly #tests: readonly string[];

  constructor(files: readonly SourceFile[]) {
    this.#files = files;
    this.#news = this.textOf(/^(?:CHANGELOG|changes\/(?!README)[\w-]+)\.md$/);
    this.#tests = files
      .filter(({ path }) => /^tests\/.*\.ts$/.test(path) && path !== FUZZ_SAMPLES)
      .map(({ text }) => text);
  }

  textOf(path: RegExp): string {
    return this.#files
      .filter((file) => path.test(file.path))
      .map(({ text }) => text)
      .join('\n');
  }

  isAnnounced(name: string): boolean {
    return hasWord(this.#news, name);
  }

  /** Returns true if a test sends the call, as a type or through a method with its name. */
  isTested(name: string): boolean {
    const call = new RegExp(`(?:['"]|\\.)${name}\\b`);
    return this.#tests.some((text) => call.test(text));
  }
}

function faultsOf(
  tree: Tree,
  kind: Kind,
  { path, text }: SourceFile,
  { at, name }: Named,
): Finding[] {
  const missing: (readonly [rule: string, isThere: boolean, message: string])[] = [
    [
      'surface-docs',
      new RegExp(`^### ${name}$`, 'm').test(
        tree.textOf(new RegExp(`^${kind.page.replace('*', '[\\w-]+')}$`)),
      ),
      `has no heading "### ${name}" in ${kind.page}`,
    ],
    [
      'surface-sdk',
      kind.sdk === undefined || hasWord(tree.textOf(kind.sdk), name),
      `is missing in ${kind.sdk?.source.replaceAll(/[\^$\\]/g, '')}: the SDK cannot call it`,
    ],
    [
      'surface-test',
      tree.isTested(name),
      'is not covered by a test of tests/ against a running venue',
    ],
    [
      'surface-fuzz',
      !kind.isFuzzed || hasWord(tree.textOf(new RegExp(`^${FUZZ_SAMPLES}$`)), name),
      `has no sample in ${FUZZ_SAMPLES}`,
    ],
    [
      'surface-change',
      tree.isAnnounced(name) || ANNOUNCED_BEFORE.has(name),
      'is not named by a fragment of changes/; describe there what is new',
    ],
  ];
  return missing
    .filter(([rule, isThere]) => !isThere && EXEMPT[`${name} ${rule}`] === undefined)
    .map(([rule, , message]) => ({
      path,
      line: lineAt(text, at),
      rule,
      message: `the ${kind.what} "${name}" ${message}`,
    }));
}

/**
 * Returns the keys of an object that begins after the match and ends at a brace at the start of a
 * line.
 */
function keysOf(text: string, start: RegExp): Named[] {
  return [...text.matchAll(start)].flatMap((match) => {
    const from = match.index + match[0].length;
    const body = text.slice(from, text.indexOf('\n}', from));
    return namesIn(body, /^ {2}(\w+)(?::|,$)/gm).map(({ at, name }) => ({ name, at: from + at }));
  });
}

function namesIn(text: string, pattern: RegExp): Named[] {
  return [...text.matchAll(pattern)].map((match) => ({ name: match[1] ?? '', at: match.index }));
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(`\\b${word}\\b`).test(text);
}
