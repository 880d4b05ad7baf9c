/** What an account has and did, in the order of its tabs. */
export const TABLE_NAMES = [
  'positions',
  'orders',
  'triggers',
  'fills',
  'history',
  'funding',
  'ledger',
] as const;

export type TableName = (typeof TABLE_NAMES)[number];
