import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileContracts, type CompiledContract } from './compile-contracts.ts';

/**
 * Each contract's output file, relative to `src/`, and the prefix for its constants. `npm run
 * build:contracts` writes ABI and bytecode to these files. With `-- --check`, it writes nothing and
 * exits with code 1 if they do not match the sources.
 */
const OUTPUTS: Readonly<Record<string, { readonly path: string; readonly prefix: string }>> = {
  Bridge: { path: 'outputs/bridge.ts', prefix: 'BRIDGE' },
  TestUsdc: { path: 'outputs/test-usdc.ts', prefix: 'TEST_USDC' },
  HostileToken: {
    path: '../../../tests/support/contracts/hostile-token.ts',
    prefix: 'HOSTILE_TOKEN',
  },
};

function renderOutput({ name, abi, bytecode }: CompiledContract, prefix: string): string {
  return [
    `/** Written by \`npm run build:contracts\` from ${name}.sol; change that file instead. */`,
    `export const ${prefix}_ABI = [`,
    ...abi.map((entry) => `  ${JSON.stringify(entry)},`),
    `] as const;`,
    '',
    `/** Creation code; the encoded arguments of the constructor follow it. */`,
    `export const ${prefix}_BYTECODE =`,
    `  '${bytecode}' as const;`,
    '',
  ].join('\n');
}

function run(isCheck: boolean): number {
  let stale = 0;
  for (const contract of compileContracts()) {
    const output = OUTPUTS[contract.name];
    if (output === undefined) throw new Error(`${contract.name} has no output`);
    const file = join(import.meta.dirname, '..', output.path);
    const text = renderOutput(contract, output.prefix);
    if (!isCheck) writeFileSync(file, text);
    else if (readFileSync(file, 'utf8') !== text) {
      stale += 1;
      console.error(`${output.path} differs from the output of ${contract.name}.sol`);
    }
    console.log(`${contract.name}: ${(contract.bytecode.length - 2) >> 1} bytes to deploy`);
  }
  return stale > 0 ? 1 : 0;
}

if (import.meta.main) process.exitCode = run(process.argv.includes('--check'));
