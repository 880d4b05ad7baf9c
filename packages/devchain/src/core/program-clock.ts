import { type EVM, EVMError } from '@ethereumjs/evm';

/** How many steps of a program there are between two looks at the clock. */
const STEPS_PER_LOOK = 512;

/** Programs of the machine itself whose every piece of input takes milliseconds: how long a piece is, in bytes. */
const DEAR_PROGRAMS: Readonly<Record<string, number>> = {
  // Pairings of BN254, sums of products and pairings of BLS12-381.
  '0000000000000000000000000000000000000008': 192,
  '000000000000000000000000000000000000000c': 160,
  '000000000000000000000000000000000000000e': 288,
  '000000000000000000000000000000000000000f': 384,
};
/** How many of them a bounded program may use: one that has begun cannot be stopped half way. */
const DEAR_PIECES_MAX = 8;

/** A program took more time than whoever sent it may take. */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
}

/** Stops programs that take more of this thread than they may, in milliseconds of its work. */
export class ProgramClock {
  #boundMs = Infinity;
  #startedMs = 0;
  #steps = 0;
  #isOutOfTime = false;

  /**
   * The machine asks at each step whether somebody listens to its steps. To listen would cost several times what
   * the step does; to be asked costs nothing. Each frame of a program that is out of time ends like one without gas.
   */
  watch(evm: EVM): void {
    const { events, precompiles } = evm;
    const countOf = events.listenerCount.bind(events);
    events.listenerCount = (name, ...rest): number => {
      if (name === 'step') this.#step();
      return countOf(name, ...rest);
    };
    for (const [address, pieceBytes] of Object.entries(DEAR_PROGRAMS)) {
      const run = precompiles.get(address);
      if (run === undefined) continue;
      precompiles.set(address, (input) => {
        const isDear = input.data.length > DEAR_PIECES_MAX * pieceBytes;
        if (this.#boundMs === Infinity || !isDear) return run(input);
        this.#isOutOfTime = true;
        const exceptionError = new EVMError(EVMError.errorMessages.OUT_OF_GAS);
        const returnValue = new Uint8Array(0);
        return { returnValue, executionGasUsed: input.gasLimit, exceptionError };
      });
    }
  }

  /** Programs that run within get so much of this thread together. */
  async within<Result>(boundMs: number, run: () => Promise<Result>): Promise<Result> {
    this.#boundMs = boundMs;
    this.restart();
    try {
      return await run();
    } finally {
      this.#boundMs = Infinity;
    }
  }

  /** What follows has all of the time. */
  restart(): void {
    this.#startedMs = workMs();
  }

  /** One program. One that was stopped looks as if its gas had run out, and is told as what it was. */
  async inTime<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#steps = 0;
    this.#isOutOfTime = false;
    const result = await run();
    if (this.#isOutOfTime) {
      throw new OutOfTimeError(`execution aborted (timeout = ${this.#boundMs}ms)`);
    }
    return result;
  }

  #step(): void {
    this.#steps += 1;
    if (this.#boundMs === Infinity) return;
    if (!this.#isOutOfTime && this.#steps % STEPS_PER_LOOK === 0) {
      this.#isOutOfTime = workMs() - this.#startedMs > this.#boundMs;
    }
    if (this.#isOutOfTime) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS);
  }
}

/** What this thread has worked, in milliseconds: time that others had the processor does not count. */
function workMs(): number {
  const { system, user } = process.threadCpuUsage();
  return (system + user) / 1000;
}
