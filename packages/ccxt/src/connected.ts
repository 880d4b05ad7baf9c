import type { BaseExchange, Client, Dict } from 'ccxt';
import { Link, RATE_LIMIT_MS } from './link.ts';
import { TIMEFRAMES } from './parts.ts';
import { Streams } from './streams.ts';

/** The default address of a venue started with `npm start` on the local machine. */
const LOCAL_URL = 'http://127.0.0.1:8690';

/** The part of `describe` common to both exchange classes. */
const VENUE = {
  countries: [],
  certified: false,
  pro: true,
  dex: true,
  url: LOCAL_URL,
  rateLimit: RATE_LIMIT_MS,
  // The venue waits up to 10 s for execution, and its response must arrive before the timeout.
  timeout: 20_000,
  timeframes: TIMEFRAMES,
  api: {
    public: { post: { info: 1 } },
    private: { post: { exchange: 5 } },
  },
  requiredCredentials: { apiKey: false, secret: false, walletAddress: true, privateKey: true },
  has: {
    // The base class declares the first two methods, which use sockets for requests.
    createMarketOrderWs: false,
    fetchCurrenciesWs: false,
    fetchStatus: true,
    fetchTime: true,
  },
  // The venue closes a connection that sends nothing for a minute.
  streaming: { keepAlive: 10_000 },
  options: { defaultSlippage: '0.05' },
};

// TypeScript requires exactly these parameters for a generic base class.
// oxlint-disable-next-line typescript/no-explicit-any
type Constructor = new (...parameters: any[]) => BaseExchange;

/** Adds the connection to a venue to a ccxt base class. */
export function connected<Base extends Constructor>(base: Base) {
  return class Connected extends base {
    readonly link: Link = new Link(this);
    readonly streams: Streams = new Streams(this);

    override describe(): Dict {
      return this.deepExtend(super.describe(), VENUE);
    }

    /** Sets the addresses of the venue from `url`, unless they are configured. */
    override afterConstruct(): void {
      super.afterConstruct();
      const { urls } = this;
      const own = (urls['api'] ?? {}) as { readonly public?: string };
      const url = (own.public ?? this.url).replace(/\/+$/, '');
      const socket = url.replace(/^http/, 'ws');
      const ws = { ws: `${socket}/ws`, 'api-ws': `${socket}/api-ws` };
      const api = { public: url, private: url, ws };
      urls['api'] = this.deepExtend(api, own);
      urls['test'] = this.deepExtend(api, urls['test'] ?? own);
    }

    /** In sandbox mode, signatures are valid only on venues with test funds. */
    override setSandboxMode(enabled: boolean): void {
      super.setSandboxMode(enabled);
      this.network = enabled ? 'testnet' : undefined;
    }

    async fetchTime(_params: Dict = {}): Promise<number> {
      return (await this.link.info({ type: 'stateHash' })).blockTime;
    }

    async fetchStatus(_params: Dict = {}): Promise<Dict> {
      const health = await this.link.info({ type: 'venueHealth' });
      const status = health.ready ? 'ok' : 'maintenance';
      return { status, updated: health.time, eta: undefined, url: undefined, info: health };
    }

    override sign(
      path: string,
      _api?: string,
      _method?: string,
      params?: Dict,
      _headers?: object,
      body?: string,
    ) {
      return this.link.request(path, params, body);
    }

    override handleErrors(
      _status: number,
      _reason: string,
      _url: string,
      _method: string,
      _headers: unknown,
      _text: string,
      body: unknown,
    ): undefined {
      return this.link.refuse(body);
    }

    override handleRestResponse(
      response: unknown,
      url: string,
      method?: string,
      headers?: unknown,
      body?: unknown,
    ): unknown {
      const unread = this.link.unread(response, body);
      return unread ?? super.handleRestResponse(response, url, method, headers, body);
    }

    override handleMessage(client: Client, message: unknown): void {
      this.streams.handle(client, message);
    }

    override ping(): unknown {
      return { method: 'ping' };
    }
  };
}
