import { lineAt, type Finding, type Source } from './source.ts';

/**
 * Bans sources of nondeterminism. For the same log, the engine and the units must compute the same
 * result on every machine and at any time, so these names must not even appear in their code. Each
 * ban names the alternative. The compiler rejects most host APIs, because these projects include
 * neither DOM types nor Node types. This list covers plain JavaScript.
 */

type Ban = {
  readonly rule: string;
  readonly pattern: RegExp;
  readonly message: string;
  /** The only package to which the ban applies. By default, it applies to both. */
  readonly only?: 'engine';
  /** True if strings are also searched. */
  readonly inStrings?: true;
  /** The only file to which the ban does not apply. */
  readonly except?: string;
};

const BANS: readonly Ban[] = [
  {
    rule: 'pure-clock',
    pattern: /\bDate\b|\bperformance\s*\./g,
    message: 'reads the host clock; use the timeMs of the block',
  },
  {
    rule: 'pure-random',
    pattern: /\bMath\s*\.\s*random\b|\bcrypto\s*\./g,
    message: 'is random; use a counter of the state or a value of the command',
  },
  {
    rule: 'pure-process',
    pattern: /\bprocess\s*\./g,
    message: 'reads the host; let settings enter the log with the genesis command',
  },
  {
    rule: 'pure-console',
    pattern: /\bconsole\s*\./g,
    message: 'is I/O; emit an event, or assert',
  },
  {
    rule: 'pure-timer',
    pattern: /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/g,
    message: 'is a host timer; let the time of the next block trigger what is due',
  },
  {
    rule: 'pure-locale',
    pattern: /\blocaleCompare\b|\bIntl\b|\btoLocale[A-Z]\w*/g,
    message: 'depends on the locale; compare code units with < and >',
  },
  {
    rule: 'pure-parse',
    pattern: /\bparseFloat\b|\bparseInt\b/g,
    message: 'reads numbers loosely; use parseDecimal or parseExact of @oddlot/units',
  },
  {
    rule: 'pure-parse',
    pattern: /\bNumber\(\s*(?:['"`]|[\w.]*(?:[tT]ext|[sS]tring|[sS]tr)\s*\))/g,
    message: 'parses text; the engine receives integers, translation reads text with parseDecimal',
    only: 'engine',
    inStrings: true,
  },
  {
    rule: 'pure-float',
    pattern:
      /\bMath\s*\.\s*(?:exp|expm1|log|log2|log10|log1p|pow|sqrt|cbrt|hypot|a?(?:sin|cos|tan)h?)\b/g,
    message: 'may differ in the last bit between machines; use integers (see R-ema for a decay)',
  },
  {
    rule: 'pure-async',
    pattern: /\b(?:async|await|Promise)\b/g,
    message: 'runs later; applying a block is synchronous, move waiting to packages/replica',
  },
  {
    rule: 'pure-sort',
    pattern: /\.\s*(?:sort|toSorted)\(\s*\)/g,
    message: 'sorts by text; pass a comparator',
    except: 'packages/engine/src/collections/sorting.ts',
  },
  {
    rule: 'pure-catch',
    pattern: /\bcatch\b/g,
    message: 'hides a broken invariant; return a refusal as a value and let the process stop',
    only: 'engine',
  },
  {
    rule: 'pure-throw',
    pattern: /\bthrow\b/g,
    message:
      'leaves a block half applied; use assert for a broken invariant, a Reject for a refusal',
    only: 'engine',
  },
];

export function checkPurity(source: Source, packageName: 'engine' | 'units'): Finding[] {
  const findings: Finding[] = [];
  for (const ban of BANS) {
    if (ban.only !== undefined && ban.only !== packageName) continue;
    if (ban.except === source.path) continue;
    const text = ban.inStrings ? source.uncommented : source.code;
    for (const match of text.matchAll(ban.pattern)) {
      findings.push({
        path: source.path,
        line: lineAt(text, match.index),
        rule: ban.rule,
        message: `"${match[0].trim()}" ${ban.message}`,
      });
    }
  }
  return findings;
}

const VENUE_CLOCK = 'packages/host/src/clock.ts';
/**
 * Matches wall clocks, and the clocks that only one file may combine with them. Code that measures
 * durations uses `performance.now` instead.
 */
const HOST_CLOCKS =
  /\bDate\s*\.\s*now\b|\bnew\s+Date\s*\(\s*\)|\bDate\s*\(\s*\)|\bhrtime\b|\bos\s*\.\s*uptime\b|\bperformance\s*\.\s*timeOrigin\b/g;

/**
 * R-clock: a wall clock can be changed, so a venue reads it in only one file, which validates the
 * time.
 */
export function checkVenueClock(source: Source): Finding[] {
  if (source.path === VENUE_CLOCK) return [];
  return [...source.code.matchAll(HOST_CLOCKS)].map(({ 0: found, index }) => ({
    path: source.path,
    line: lineAt(source.code, index),
    rule: 'venue-clock',
    message: `"${found}" reads the clock of the host; use a Clock, made in ${VENUE_CLOCK}`,
  }));
}

/**
 * Reports divisions outside units. On bigint, the operator silently drops the remainder, and the
 * source text alone does not show whether a value is a bigint. Therefore the engine writes every
 * division of numbers directly inside `Math.floor`, `ceil`, `trunc` or `round`, which the compiler
 * rejects for bigint. A constant over a literal (`RATE_ONE / 100`) is allowed, because it is
 * visibly a whole number.
 */
export function checkDivision(source: Source): Finding[] {
  const findings: Finding[] = [];
  // For each open bracket, whether its immediate content is rounded.
  const rounded: boolean[] = [];
  for (let at = 0; at < source.code.length; at++) {
    const char = source.code[at];
    if (char === '(' || char === '[' || char === '{') {
      const before = source.code.slice(Math.max(0, at - 40), at);
      const isCall = /[\w$)\]>]\s*$/.test(before);
      const rounds = /\bMath\.(?:floor|ceil|trunc|round)$/.test(before);
      rounded.push(char === '(' && (rounds || (!isCall && rounded.at(-1) === true)));
    } else if (char === ')' || char === ']' || char === '}') rounded.pop();
    else if (char === '/' && rounded.at(-1) !== true && !isConstant(source.code, at)) {
      findings.push({
        path: source.path,
        line: lineAt(source.code, at),
        rule: 'division',
        message:
          '"/" hides its rounding; use divFloor, divCeil, divTowardsZero, divHalfUp or divExact ' +
          'for bigint, and Math.floor(a / b) for numbers',
      });
    }
  }
  return findings;
}

function isConstant(code: string, slash: number): boolean {
  const before = code.slice(Math.max(0, slash - 40), slash);
  const after = code.slice(slash + 1, slash + 20);
  return /\b[A-Z][A-Z0-9_]*\s*$/.test(before) && /^\s*\d[\d_]*(?![\w.])/.test(after);
}

/**
 * Reports divisions of bigint in other packages. They are detected only if a literal or a
 * conversion shows the type.
 */
export function checkBigintLiteralDivision(source: Source): Finding[] {
  const pattern = /\b\d[\d_]*n\s*\/(?![/*])|\/\s*\d[\d_]*n\b|\/\s*BigInt\(/g;
  return [...source.code.matchAll(pattern)].map((match) => ({
    path: source.path,
    line: lineAt(source.code, match.index),
    rule: 'division',
    message: `"${match[0].trim()}" drops the remainder; use divFloor or another division of units`,
  }));
}

/** Reports casts that assign a unit to a number without checking it. */
export function checkUnitCasts(source: Source): Finding[] {
  const pattern = /\bas\s+(?:Price|Lots|SignedLots|MicroUsdc|RateE8)\b/g;
  return [...source.code.matchAll(pattern)].map((match) => ({
    path: source.path,
    line: lineAt(source.code, match.index),
    rule: 'unit-cast',
    message: `"${match[0].replace(/\s+/g, ' ')}" skips the check; use a constructor or an operation of units`,
  }));
}

/**
 * Files whose writes must survive a power failure; tests/crash/power-cut.test.ts tests each of
 * them.
 */
const DURABLE_WRITERS = /^packages\/(?:host\/src\/durable|replica\/src\/log)\//;
/**
 * Files that write without syncing. In the history store, SQLite does the syncing. A local cluster
 * rewrites its servers' configuration at each start, and incomplete builds are redone.
 */
const OTHER_WRITERS =
  /^packages\/(?:history\/src\/store|cluster\/src\/servers|venue\/(?:src\/local-cluster|build))\//;
const FILE_WRITES =
  /\b(?:writeFile|appendFile|copyFile|rename|mkdir|open|write|ftruncate|truncate)Sync\b|\b(?:createWriteStream|writeFile|appendFile|copyFile)\b|(?<![.\w])(?:mkdir|rename)(?=\()/g;

/**
 * Reports file writes elsewhere. After a power failure, a file can be missing or outdated if the
 * file or its folder was not synced.
 */
export function checkVenueWrites(source: Source): Finding[] {
  if (DURABLE_WRITERS.test(source.path) || OTHER_WRITERS.test(source.path)) return [];
  return [...source.code.matchAll(FILE_WRITES)].map(({ 0: found, index }) => ({
    path: source.path,
    line: lineAt(source.code, index),
    rule: 'venue-writes',
    message: `"${found}" may be lost in a power failure; use @oddlot/host/durable`,
  }));
}
