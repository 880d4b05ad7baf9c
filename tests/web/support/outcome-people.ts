import {
  buyNo,
  buyYes,
  createClient,
  privateKeyWallet,
  randomPrivateKey,
  type Client,
} from '@oddlot/sdk';
import { eventFields, marketFields, newSlug, seriesFields } from '../../support/deployer.ts';
import { keyOf } from '../../support/wallet.ts';

/** The deployer and market makers of the outcome markets in page tests. */

export const WHO_DEPLOYS = keyOf('the deployer');

export type Listed = { readonly id: number; readonly slug: string; readonly eventSlug: string };

const CONFIRMED = { confirm: 'executed' } as const;

export class OutcomePeople {
  readonly deployer: Client;
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
    this.deployer = createClient({ url, wallet: privateKeyWallet(WHO_DEPLOYS) });
  }

  get #deploy() {
    return this.deployer.exchange.outcomeDeploy;
  }

  async event(changes: object = {}): Promise<string> {
    const fields = eventFields({ ...changes }) as Parameters<typeof this.registerEvent>[0];
    await this.registerEvent(fields);
    return fields.slug;
  }

  async registerEvent(
    fields: Parameters<Client['exchange']['outcomeDeploy']['registerEvent']>[0],
  ): Promise<void> {
    await this.#deploy.registerEvent(fields, CONFIRMED);
  }

  /** Lists a market, by default in a new event. */
  async market(changes: object = {}, eventSlug?: string): Promise<Listed> {
    const slug = newSlug('market');
    const event = eventSlug ?? (await this.event());
    const fields = marketFields(event, { slug, ...changes }) as Parameters<
      typeof this.deployer.exchange.outcomeDeploy.registerMarket
    >[0];
    const reply = await this.#deploy.registerMarket(fields, CONFIRMED);
    const id = reply.status === 'executed' ? reply.created?.instrumentId : undefined;
    if (id === undefined) throw new Error('The market was not listed');
    return { id, slug, eventSlug: event };
  }

  async series(changes: object = {}): Promise<string> {
    const fields = seriesFields({ ...changes }) as Parameters<
      typeof this.deployer.exchange.outcomeDeploy.registerSeries
    >[0];
    await this.#deploy.registerSeries(fields, CONFIRMED);
    return fields.slug;
  }

  /**
   * Creates an account that bids for YES at 0.44 and offers YES at 0.46, each with the given size.
   */
  async quote({ id: asset }: Pick<Listed, 'id'>, size = '200'): Promise<void> {
    const wallet = privateKeyWallet(randomPrivateKey());
    const maker = createClient({ url: this.#url, wallet });
    await maker.faucet({ user: wallet.address, accountType: 'outcome' });
    const orders = [buyYes({ asset, price: '0.44', size }), buyNo({ asset, price: '0.54', size })];
    await maker.exchange.order({ orders }, CONFIRMED);
  }

  /** Creates an account with this number of shares in each outcome, and returns its address. */
  async holder({ id: asset }: Pick<Listed, 'id'>, size: string): Promise<string> {
    const wallet = privateKeyWallet(randomPrivateKey());
    const holder = createClient({ url: this.#url, wallet });
    await holder.faucet({ user: wallet.address, accountType: 'outcome' });
    await holder.exchange.outcomeOperate({ split: [{ asset, sz: size }] }, CONFIRMED);
    return wallet.address;
  }

  async set({ id }: Pick<Listed, 'id'>, state: 'open' | 'halt' | 'close'): Promise<void> {
    await this.#deploy.setTrading({ instrumentIds: [id], state }, CONFIRMED);
  }

  async resolve(market: Pick<Listed, 'id'>, fraction: string, evidence = ''): Promise<void> {
    await this.set(market, 'close');
    await this.decide(market, fraction, evidence);
  }

  /** Resolves a closed market. `fraction` is the payout of one YES share. */
  async decide({ id }: Pick<Listed, 'id'>, fraction: string, evidence = ''): Promise<void> {
    const result = { instrumentId: id, settlementFraction: fraction, evidence };
    await this.#deploy.resolve(result, CONFIRMED);
  }
}
