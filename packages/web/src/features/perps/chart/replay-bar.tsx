import type { Candle } from '@oddlot/sdk';
import { useEffect, useEffectEvent, useState } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import { dateTime } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { Button } from '../../../ui/controls.tsx';
import { countUntil, replayStart } from './use-replayed.ts';

type ReplayBarProps = {
  readonly live: StoreApi<{ readonly candles: readonly Candle[] }>;
  readonly untilMs: number | undefined;
  readonly onUntil: (untilMs: number | undefined) => void;
  readonly onEnd: () => void;
};

/** Speeds of the replay, in candles per second. */
const SPEEDS = [1, 2, 5, 10] as const;

/** Replays past candles one after another. */
export function ReplayBar({ live, untilMs, onUntil, onEnd }: ReplayBarProps) {
  const t = useWords();
  const [candles] = useState(() => live.getState().candles);
  const [isPlaying, setIsPlaying] = useState(false);
  const [speed, setSpeed] = useState<number>(SPEEDS[1]);
  const at = countUntil(candles, untilMs ?? replayStart(candles)) - 1;
  const go = (to: number): void => {
    const candle = candles[Math.min(Math.max(0, to), candles.length - 1)];
    if (candle !== undefined) onUntil(candle.t);
    if (to >= candles.length - 1) setIsPlaying(false);
  };
  const begin = useEffectEvent(() => onUntil(replayStart(candles)));
  const leave = useEffectEvent(() => onUntil(undefined));
  useEffect(() => {
    begin();
    return () => leave();
  }, []);
  const step = useEffectEvent(() => go(at + 1));
  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setInterval(() => step(), 1_000 / speed);
    return () => clearInterval(timer);
  }, [isPlaying, speed]);
  return (
    <div
      role="group"
      aria-label={t('perps.replay.label')}
      className="absolute start-1/2 bottom-8 z-20 flex max-w-[calc(100%-16px)] -translate-x-1/2 items-center gap-2 overflow-x-auto rounded border border-line bg-raised px-2 py-1 text-12"
    >
      <Button size="small" aria-label={t('perps.replay.back')} onClick={() => go(at - 1)}>
        ‹
      </Button>
      <Button size="small" onClick={() => setIsPlaying(!isPlaying)}>
        {t(isPlaying ? 'perps.replay.pause' : 'perps.replay.play')}
      </Button>
      <Button size="small" aria-label={t('perps.replay.next')} onClick={() => go(at + 1)}>
        ›
      </Button>
      <span className="h-6 w-32 shrink-0">
        <input
          type="range"
          aria-label={t('perps.replay.position')}
          aria-valuetext={dateTime(candles[at]?.t ?? 0)}
          min={0}
          max={Math.max(0, candles.length - 1)}
          value={at}
          onChange={({ target }) => go(target.valueAsNumber)}
          className="slider"
        />
      </span>
      <span className="whitespace-nowrap tabular-nums">{dateTime(candles[at]?.t ?? 0)}</span>
      <Button
        size="small"
        onClick={() => setSpeed(SPEEDS[(SPEEDS.indexOf(speed as 1) + 1) % SPEEDS.length]!)}
      >
        {t('perps.replay.speed', { speed })}
      </Button>
      <Button size="small" kind="quiet" onClick={onEnd}>
        {t('perps.replay.end')}
      </Button>
    </div>
  );
}
