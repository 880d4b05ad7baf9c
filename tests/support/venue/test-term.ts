import type { Term } from '../../../packages/replica/src/lease.ts';

/** A lease term that the test can end. */
export class TestTerm implements Term {
  readonly number = 1;
  readonly holder: string;
  #isOver = false;

  constructor(holder = 'local') {
    this.holder = holder;
  }

  isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    this.#isOver = true;
  }
}
