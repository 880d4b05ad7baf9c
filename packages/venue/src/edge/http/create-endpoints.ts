import type { AnyEndpoint, TextEndpoint } from '@oddlot/host/http';
import type { History } from '../../history/history.ts';
import { accountStatusEndpoint } from './account-status-endpoint.ts';
import { exchangeEndpoint, type ExchangeOptions } from './exchange-endpoint.ts';
import { EXPORT_WORK, exportEndpoints } from './exports/export-endpoints.ts';
import { EXPORT_LIMITS, ExportGate } from './exports/export-gate.ts';
import { infoEndpoint, type InfoOptions } from './info-endpoint.ts';

/** All that the public port serves, by path; the writes apart, for those inside of the process. */

type EndpointOptions = ExchangeOptions &
  InfoOptions & {
    readonly history: History;
    /** False for load tests: what guards clients against each other is off. */
    readonly hasLimits: boolean;
  };

export type Endpoints = {
  readonly exchange: TextEndpoint;
  readonly byPath: Readonly<Record<string, AnyEndpoint>>;
  /** Counts the exports that are being read. */
  readonly exports: ExportGate;
};

export function createEndpoints(options: EndpointOptions): Endpoints {
  const { faucet, hasLimits } = options;
  const exchange = exchangeEndpoint(options);
  const accountStatus = accountStatusEndpoint(options);
  const exports = new ExportGate(
    hasLimits ? EXPORT_LIMITS : { ...EXPORT_LIMITS, perClientMax: Infinity },
  );
  const exportPaths = exportEndpoints({
    ...options,
    gate: exports,
    work: hasLimits ? EXPORT_WORK : { ...EXPORT_WORK, msPerSecond: Infinity },
  });
  const byPath = {
    '/exchange': exchange,
    '/info': infoEndpoint(options),
    '/account-status': accountStatus,
    '/account': accountStatus,
    ...(faucet === undefined ? {} : { '/request-fund': faucet.endpoint() }),
    ...exportPaths,
  };
  return { exchange, byPath, exports };
}
