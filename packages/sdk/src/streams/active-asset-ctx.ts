import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from './subscription.ts';

/** What `activeAssetCtx` takes. */
export type ActiveAssetCtxChannel = { readonly coin: string };

/** What traders watch of an instrument. Prices that are not known yet are empty. */
export type AssetContext = {
  coin: string;
  instrumentId: number;
  ctx: {
    dayNtlVlm: string;
    dayBaseVlm: string;
    prevDayPx: string;
    markPx: string;
    midPx: string | null;
    oraclePx: string;
    openInterest: string;
    /** A fraction per hour. */
    funding: string;
    premium: string | null;
    impactPxs: [string, string] | null;
    nextFundingTime: number;
  };
};

/** Mark, oracle, volume and open interest of an instrument. */
export function activeAssetCtx(
  context: StreamContext,
  parameters: ActiveAssetCtxChannel,
  listener?: StreamListener<AssetContext>,
  options?: StreamOptions,
): Subscription<AssetContext> {
  return new Subscription(
    context,
    { type: 'activeAssetCtx', ...parameters },
    { listener, ...options },
  );
}
