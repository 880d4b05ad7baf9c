import { useQuery } from '@tanstack/react-query';
import type { BuilderShares } from '@oddlot/sdk';
import { percent } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { reader } from '../../market/venue.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Money } from '../../ui/figure.tsx';
import { Segmented } from '../../ui/segmented.tsx';

const WINDOWS = ['7d', '30d', '90d', 'all'] as const;
const DIMENSIONS = ['instrument', 'user'] as const;
const EVERY_MS = 10_000;
const SHOWN_MAX = 50;

type BuilderShare = BuilderShares['items'][number];

/** Where the fees come from, the largest part first, each with its bar. */
export function Shares({
  user,
  search,
  onLook,
}: {
  readonly user: string;
  readonly search: Readonly<Record<string, unknown>>;
  readonly onLook: (change: Record<string, string>) => void;
}) {
  const t = useWords();
  const span = WINDOWS.find((each) => each === search['window']) ?? '7d';
  const dimension = DIMENSIONS.find((each) => each === search['by']) ?? 'instrument';
  const { data } = useQuery({
    queryKey: ['builderMeShare', user, dimension, span],
    queryFn: ({ signal }) =>
      reader.info.builderMeShare({ user, dimension, window: span }, { signal }),
    placeholderData: (before) => before,
    refetchInterval: EVERY_MS,
  });
  return (
    <section
      aria-labelledby="shares"
      className="min-w-0 border-line max-desktop:border-t desktop:overflow-y-auto desktop:border-s"
    >
      <div className="flex h-9 items-center border-b border-line px-4">
        <h2 id="shares" className="text-13 font-medium">
          {t('builder.share')}
        </h2>
      </div>
      <div className="flex items-center justify-between px-4 py-2">
        <Segmented
          label={t('builder.share')}
          size="small"
          value={dimension}
          onChange={(by) => onLook({ by })}
          segments={[
            { value: 'instrument', label: t('builder.byInstrument') },
            { value: 'user', label: t('builder.byUser') },
          ]}
        />
        <Segmented
          label={t('builder.time')}
          size="small"
          value={span}
          onChange={(next) => onLook({ window: next })}
          segments={WINDOWS.map((value) => ({ value, label: t(`builder.window.${value}`) }))}
        />
      </div>
      {data?.items.length === 0 && (
        <div className="h-24">
          <EmptyState title={t('builder.noShare')} text={t('builder.noShareText')} />
        </div>
      )}
      <ul className="flex flex-col">
        {data?.items.slice(0, SHOWN_MAX).map((share) => (
          <ShareRow key={share.key} share={share} />
        ))}
      </ul>
    </section>
  );
}

function ShareRow({ share: { label, ratio, value } }: { readonly share: BuilderShare }) {
  return (
    <li className="px-4 py-2">
      <span className="flex items-baseline justify-between gap-4 text-13">
        <span className="truncate normal-nums" title={label}>
          {label}
        </span>
        <span>
          <Money value={value} />{' '}
          <span className="inline-block w-16 text-end text-12 text-muted">
            {percent(ratio.toFixed(4), { decimals: 1 })}
          </span>
        </span>
      </span>
      <span aria-hidden="true" className="mt-1 block h-0.5 rounded-full bg-line">
        <span
          className="block h-full rounded-full bg-accent"
          style={{ width: `${Math.min(100, ratio * 100)}%` }}
        />
      </span>
    </li>
  );
}
