import { isDeepStrictEqual } from 'node:util';
import { EXIT } from '../cli-error.ts';

/** Something that was compared, or had to be believed. */
type Finding = {
  readonly kind: 'agree' | 'DIFFER' | 'believed';
  readonly what: string;
  readonly told: string;
  /** Where it differs. */
  readonly computed?: string;
};

const BRIEF_MAX = 300;

/** What came out of a check, in the order in which it was looked at. */
export class Findings {
  readonly all: Finding[] = [];

  /** Compares two values, whatever order their keys are in. */
  same(what: string, told: unknown, computed: unknown): void {
    if (isDeepStrictEqual(told, computed)) {
      this.all.push({ kind: 'agree', what, told: brief(told) });
    } else {
      this.all.push({ kind: 'DIFFER', what, told: brief(told), computed: brief(computed) });
    }
  }

  /** `told` must be so; `computed` says what it may be. */
  holds(what: string, isSo: boolean, told: string, computed: string): void {
    this.all.push(isSo ? { kind: 'agree', what, told } : { kind: 'DIFFER', what, told, computed });
  }

  /** What can't be derived from what was asked. */
  believe(what: string, told: string): void {
    this.all.push({ kind: 'believed', what, told });
  }

  /** 0 when nothing differs; 2 when nothing could be compared. */
  get exitCode(): number {
    if (this.all.some(({ kind }) => kind === 'DIFFER')) return EXIT.fault;
    return this.all.some(({ kind }) => kind === 'agree') ? EXIT.done : EXIT.usage;
  }

  lines(): string[] {
    return this.all.map(({ computed, kind, told, what }) => {
      if (kind === 'believed') return `believed  ${what}: ${told}`;
      const said = `${kind.padEnd(8)}${what} ${told}`;
      return computed === undefined ? said : `${said}, recomputed ${computed}`;
    });
  }
}

function brief(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none');
  return text.length <= BRIEF_MAX ? text : `${text.slice(0, BRIEF_MAX)}…`;
}
