import { setting, SWITCH, whole } from '@oddlot/host/settings';
import { BUDGET_SETTINGS } from '../edge/budget-settings.ts';

export const LIMIT_SETTINGS = {
  limits: setting(SWITCH, {
    default: true,
    help: 'off lifts all request, connection and frame limits, and [budgets](../reference/limits.md#budgets) per client, for load tests; those for all stay',
  }),
  infoPerSecond: setting(whole(), {
    default: 50,
    help: '`/info` requests a second and client address',
  }),
  exchangePerSecond: setting(whole(), {
    default: 10,
    help: '`/exchange` requests a second and client address',
  }),
  explainPerSecond: setting(whole(), {
    default: 5,
    help: '[explainSignature](../reference/info-venue.md#explainsignature) queries a second and client address',
  }),
  simulatePerSecond: setting(whole(), {
    default: 10,
    help: '[simulate](../reference/info-venue.md#simulate) queries a second and client address',
  }),
  ...BUDGET_SETTINGS,
  confirmTimeoutMs: setting(whole('ms'), {
    default: 10_000,
    help: 'milliseconds that an answer with `confirm` waits; then HTTP 202',
  }),
};
