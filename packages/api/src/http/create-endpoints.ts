import {
  type AnyEndpoint,
  type Endpoint,
  infoRefusal,
  infoReply,
  type TextEndpoint,
} from '@oddlot/host/http';
import type { History } from '@oddlot/history/history';
import {
  exchangeEndpoint,
  type ExchangeOptions,
  hyperliquidEndpoint,
} from './exchange-endpoint.ts';
import { signerExplainer } from './explain-unknown-signer.ts';
import {
  EXPORT_LIMITS,
  EXPORT_WORK,
  exportEndpoints,
  ExportGate,
} from './exports/export-endpoints.ts';
import { infoEndpoint, type InfoOptions } from './info-endpoint.ts';
import { type Exchange, gateRefusal, hasAccount, type State } from '@oddlot/engine';
import { type AccountStatus, MESSAGES, parseServiceRequest } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { Replica } from '@oddlot/replica/replica';
import { GATE_TEXTS } from '@oddlot/translate/rejects/account';

type EndpointOptions = ExchangeOptions &
  InfoOptions & {
    readonly history: History;
    /** False for load tests, which disable the per-client limits. */
    readonly hasLimits: boolean;
  };

export type Endpoints = {
  readonly exchange: TextEndpoint;
  readonly info: Endpoint;
  /** Executes requests from Hyperliquid clients. */
  readonly hyperliquid: TextEndpoint;
  /** Undefined if the venue has no faucet. */
  readonly faucet: Endpoint | undefined;
  readonly byPath: Readonly<Record<string, AnyEndpoint>>;
  /** Limits how many exports can be written concurrently. */
  readonly exports: ExportGate;
};

export function createEndpoints(options: EndpointOptions): Endpoints {
  const { hasLimits } = options;
  const exchange = exchangeEndpoint(options);
  const info = infoEndpoint(options);
  const faucet = options.faucet?.endpoint();
  const { pool, replica } = options;
  const explainSigner = signerExplainer({ pool, state: () => replica.state });
  const hyperliquid = hyperliquidEndpoint(options, explainSigner);
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
    '/info': info,
    '/account-status': accountStatus,
    '/account': accountStatus,
    ...(faucet === undefined ? {} : { '/request-fund': faucet }),
    ...exportPaths,
  };
  return { exchange, hyperliquid, info, faucet, byPath, exports };
}

/**
 * Creates the endpoint /account-status, which reports whether an address may trade. Only the check
 * in /exchange is binding.
 */
export function accountStatusEndpoint({ replica }: { readonly replica: Replica }): Endpoint {
  return {
    surface: 'info',
    refuse: infoRefusal,
    handle: ({ body }) => {
      const parsed = parseServiceRequest('accountStatus', body);
      if (!parsed.ok) return infoRefusal(parsed.error);
      const { user, channel } = parsed.request;
      const exists = hasAccount(replica.state, user);
      const reason = reasonAgainst(replica.state, user, channel);
      const eligible = reason === undefined;
      const status: AccountStatus = { user, channel, exists, checked: true, eligible };
      return infoReply(eligible ? status : { ...status, reason });
    },
  };
}

/**
 * Returns the first reason why an address may not trade: an unknown channel, its access control, or
 * a missing account.
 */
function reasonAgainst(state: State, user: Address, channel: number): string | undefined {
  if (!isExchange(channel)) return MESSAGES.unknownChannel();
  const gate = gateRefusal(state, channel, user);
  if (gate !== undefined) return MESSAGES[GATE_TEXTS[gate]]();
  return hasAccount(state, user) ? undefined : MESSAGES.noTradingAccount();
}

/** Returns true for channel 0 (perps) and channel 1 (outcome markets). */
function isExchange(channel: number): channel is Exchange {
  return channel === 0 || channel === 1;
}
