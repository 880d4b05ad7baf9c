import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import solc from 'solc';

export type CompiledContract = {
  readonly name: string;
  readonly abi: readonly unknown[];
  /** Creation code as hexadecimal text; the encoded constructor arguments are appended to it. */
  readonly bytecode: `0x${string}`;
};

const CONTRACTS: Readonly<Record<string, string>> = {
  Bridge: 'Bridge.sol',
  TestUsdc: 'TestUsdc.sol',
  HostileToken: 'HostileToken.sol',
};

/**
 * The code of the compiler's general warning about transient storage. It is ignored, because its
 * only use here, in reentrancy guards, is documented as safe.
 */
const TRANSIENT_STORAGE = '2394';

const SOURCES = join(import.meta.dirname, '..');
const TEST_SOURCES = join(SOURCES, '../../../tests/support/contracts');

/**
 * Compiles every contract. The result is the same on every machine: versions are exact, and no
 * environment data such as paths or a metadata hash is part of the code.
 */
export function compileContracts(): CompiledContract[] {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      Object.values(CONTRACTS).map((file) => [file, { content: readSource(file) }]),
    ),
    settings: {
      // The oldest EVM version with the required features (transient storage), chosen so that more
      // chains can run the code.
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 10_000 },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const imports = { import: (path: string) => ({ contents: readSource(path) }) };
  const output = JSON.parse(solc.compile(JSON.stringify(input), imports)) as CompilerOutput;
  const complaints = (output.errors ?? []).filter(
    ({ errorCode }) => errorCode !== TRANSIENT_STORAGE,
  );
  if (complaints.length > 0) {
    throw new Error(complaints.map(({ formattedMessage }) => formattedMessage).join('\n'));
  }
  return Object.entries(CONTRACTS).map(([name, file]) => {
    const contract = output.contracts[file]?.[name];
    if (contract === undefined) throw new Error(`${file} has no contract ${name}`);
    return { name, abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` };
  });
}

type CompilerOutput = {
  readonly errors?: readonly { readonly errorCode: string; readonly formattedMessage: string }[];
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly abi: readonly unknown[];
            readonly evm: { readonly bytecode: { readonly object: string } };
          }
        >
      >
    >
  >;
};

/** Reads a file of this package, or of a dependency by its package name. */
function readSource(path: string): string {
  const isPackage = path.startsWith('@');
  if (isPackage) return readFileSync(createRequire(import.meta.url).resolve(path), 'utf8');
  const own = join(SOURCES, path);
  return readFileSync(existsSync(own) ? own : join(TEST_SOURCES, path), 'utf8');
}
