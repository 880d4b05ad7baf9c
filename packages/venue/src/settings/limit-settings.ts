import { setting, SWITCH, whole } from '@oddlot/host/settings';
import { BUDGET_SETTINGS } from '../edge/budget-settings.ts';

export const LIMIT_SETTINGS = {
  limits: setting(SWITCH, {
    default: true,
    help:
      'Apply all limits on requests, connections and frames, and the per-client ' +
      '[budgets](../reference/limits.md#budgets); turn off only for load tests. Total ' +
      'budgets always apply',
  }),
  infoPerSecond: setting(whole(), {
    default: 50,
    help: '`/info` requests per second per client address',
  }),
  exchangePerSecond: setting(whole(), {
    default: 10,
    help: '`/exchange` requests per second per client address',
  }),
  explainPerSecond: setting(whole(), {
    default: 5,
    help:
      '[explainSignature](../reference/info-venue.md#explainsignature) queries per second ' +
      'per client address',
  }),
  simulatePerSecond: setting(whole(), {
    default: 10,
    help: '[simulate](../reference/info-venue.md#simulate) queries per second per client address',
  }),
  ...BUDGET_SETTINGS,
  confirmTimeoutMs: setting(whole('ms'), {
    default: 10_000,
    help: 'Milliseconds that a request with `confirm` waits before the reply is HTTP 202',
  }),
};
