import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BRIDGE_ABI } from './outputs/bridge.ts';
import { TEST_USDC_ABI } from './outputs/test-usdc.ts';
import { CODES } from '@oddlot/testing/contracts/bridge-world';
import { gasTable } from '@oddlot/testing/contracts/gas-table';

const PAGE = readFileSync(
  join(import.meta.dirname, '../../../docs/reference/contracts.md'),
  'utf8',
);

test('the reference documents the gas cost of each call', async () => {
  const table = (await gasTable()).join('\n');
  expect(PAGE).toContain(table);
});

test('the reference documents every function, event, error and code', () => {
  for (const entry of [...BRIDGE_ABI, ...TEST_USDC_ABI]) {
    if (!('name' in entry) || STANDARD.test(entry.name)) continue;
    expect(PAGE, entry.name).toContain(`\`${entry.name}`);
  }
  for (const [name, code] of Object.entries(CODES)) {
    expect(PAGE).toContain(`| ${code} | \`${name}\` |`);
  }
});

/** Items from ERC-20 and OpenZeppelin, which are described in their own documentation. */
const STANDARD =
  /^(?:ERC20|ECDSA|SafeERC20|Invalid|String|ReentrancyGuard|EIP712)|^(?:name|symbol|decimals|totalSupply|balanceOf|transfer|transferFrom|approve|allowance|Transfer|Approval)$/;
