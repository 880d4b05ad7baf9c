import type { Page } from 'playwright-core';
import { OutcomePeople, WHO_DEPLOYS } from '../support/outcome-people.ts';
import { OPERATOR_KEY } from '../support/operators.ts';
import type { Picture } from '../support/picture.ts';

/** Enters an operator's key, which stays in the page's memory. */
async function withKey(page: Page, key: string): Promise<void> {
  await page.getByRole('button', { name: 'Open operator key' }).click();
  await page.getByLabel('Private key').fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
  await page.getByRole('button', { name: 'Remove key' }).waitFor();
}

const asAdmin = (page: Page): Promise<void> => withKey(page, OPERATOR_KEY);
const asDeployer = (page: Page): Promise<void> => withKey(page, WHO_DEPLOYS);

let visits = 0;

export const pictures: readonly Picture[] = [
  { name: 'operate-health', path: '/operate' },
  { name: 'operate-perps-nobody', path: '/operate?tab=perps', hasAccount: true },
  { name: 'operate-perps', path: '/operate?tab=perps', prepare: asAdmin },
  {
    name: 'operate-perp-refused',
    path: '/operate?tab=perps',
    prepare: async (page) => {
      await asAdmin(page);
      await page.getByRole('button', { name: 'List a perp' }).click();
      await page.getByRole('textbox', { name: 'Base currency' }).fill('doge');
      await page.getByRole('textbox', { name: 'Maintenance margin' }).fill('0.2');
      await page.getByRole('button', { name: 'List DOGE-USDC' }).click();
      await page.getByText(/Invalid margin table/).waitFor();
    },
  },
  {
    name: 'operate-events',
    path: '/operate?tab=events',
    prepare: async (page, { url }) => {
      visits += 1;
      const people = new OutcomePeople(url);
      await people.market({ question: `Will the tram run before six on day ${visits}?` });
      await asDeployer(page);
      await page.getByText(`before six on day ${visits}?`).waitFor();
    },
  },
  {
    name: 'operate-create-event',
    path: '/operate?tab=events',
    prepare: async (page) => {
      await asDeployer(page);
      await page.getByRole('button', { name: 'Create event' }).click();
      await page.getByRole('button', { name: 'Add market' }).click();
    },
  },
  {
    name: 'operate-resolve',
    path: '/operate?tab=events',
    prepare: async (page, { url }) => {
      visits += 1;
      const people = new OutcomePeople(url);
      const question = `Will a very long question, number ${visits}, with more words than any table has room for, stay readable where it is decided?`;
      const { id } = await people.market({ question });
      const { outcomeDeploy } = people.deployer.exchange;
      await outcomeDeploy.setTrading(
        { instrumentIds: [id], state: 'close' },
        { confirm: 'executed' },
      );
      await asDeployer(page);
      const row = page.getByRole('row').filter({ hasText: `number ${visits},` });
      await row.getByRole('button', { name: 'Resolve' }).click();
      await page.getByRole('radio', { name: 'Yes', exact: true }).click();
    },
  },
  {
    name: 'operate-delist',
    path: '/operate?tab=perps',
    prepare: async (page) => {
      await asAdmin(page);
      await page.getByRole('button', { name: 'Delist BTC-USDC' }).click();
      await page.getByRole('textbox', { name: 'Type BTC-USDC to confirm' }).waitFor();
    },
  },
  { name: 'operate-gates', path: '/operate?tab=gates', prepare: asAdmin },
  {
    name: 'operate-gate-asks',
    path: '/operate?tab=gates',
    prepare: async (page) => {
      await asAdmin(page);
      const gate = page.getByRole('region', { name: 'Perps' });
      await gate.getByRole('radio', { name: 'Whitelist', exact: true }).click();
      await gate.getByRole('button', { name: 'Restrict perps to the whitelist' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'operate-fees', path: '/operate?tab=fees', prepare: asAdmin },
  {
    name: 'operate-fees-ask',
    path: '/operate?tab=fees',
    prepare: async (page) => {
      await asAdmin(page);
      await page.getByRole('button', { name: 'Edit fee schedule' }).click();
      const first = page.getByRole('group', { name: 'Tier 0' });
      await first.getByRole('textbox', { name: 'Taker' }).fill('0.05');
      await page.getByRole('button', { name: 'Replace fee schedule' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'operate-operators', path: '/operate?tab=operators', prepare: asAdmin },
];
