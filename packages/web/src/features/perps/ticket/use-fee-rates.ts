import { useQuery } from '@tanstack/react-query';
import { smaller } from '../../../lib/decimal.ts';
import { reader } from '../../../market/venue.ts';
import { useSession } from '../../../session/use-session.ts';
import { useTradedPerp } from '../traded-perp.ts';

type FeeRates = { readonly maker: string; readonly taker: string };

const TIER_MS = 60_000;

/** What fills of this account pay here: the lower of its tier's rates and the market's own; undefined for a visitor. */
export function useFeeRates(): FeeRates | undefined {
  const user = useSession()?.address;
  const { perp } = useTradedPerp();
  const { data: tier } = useQuery({
    queryKey: ['feeTierRates', user],
    queryFn: ({ signal }) => reader.info.feeTierRates({ user: user! }, { signal }),
    enabled: user !== undefined,
    staleTime: TIER_MS,
  });
  const { data: detail } = useQuery({
    queryKey: ['perpMetaDetail', perp.baseCurrency],
    queryFn: ({ signal }) =>
      reader.info.perpMetaDetail({ assetName: perp.baseCurrency }, { signal }),
    enabled: user !== undefined,
  });
  const own = detail?.instruments.find(({ perp: { instrumentId } }) => instrumentId === perp.index);
  if (tier === undefined || own === undefined) return undefined;
  return {
    maker: smaller(tier.perpMakerFeeRate, own.perp.makerFeeRate),
    taker: smaller(tier.perpTakerFeeRate, own.perp.takerFeeRate),
  };
}
