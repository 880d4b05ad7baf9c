import {
  INFO_QUERIES,
  type Fill,
  type InfoType,
  type PerpUniverse,
  type ReservesProof,
  type UserFundings,
} from '@oddlot/protocol';
import { expect, expectTypeOf, test } from 'vitest';
import { HttpTransport } from '../transport/http.ts';
import { createInfo, type InfoClient } from './create-info.ts';
import type { InfoParameters } from './query-info.ts';

test('the info client has a method for every query of the venue', () => {
  const info = createInfo({ http: new HttpTransport({ url: 'http://venue' }) });
  for (const name of Object.keys(INFO_QUERIES)) {
    expect(info[name as InfoType], name).toBeTypeOf('function');
  }
  expectTypeOf<InfoType>().toExtend<keyof InfoClient>();
});

test('the types of parameters and results are derived from the registry of queries', () => {
  expectTypeOf<Awaited<ReturnType<InfoClient['perpMeta']>>>().toEqualTypeOf<PerpUniverse>();
  expectTypeOf<Parameters<InfoClient['userFills']>[0]>().toEqualTypeOf<
    InfoParameters<'userFills'>
  >();
  expectTypeOf<Awaited<ReturnType<InfoClient['userFundings']>>>().toEqualTypeOf<UserFundings>();
  expectTypeOf<
    Awaited<ReturnType<InfoClient['reservesProof']>>
  >().toEqualTypeOf<ReservesProof | null>();
  expectTypeOf<ReturnType<InfoClient['allUserFills']>>().toEqualTypeOf<
    AsyncGenerator<Fill, void>
  >();
  // The parameters can be omitted only if none is required.
  expectTypeOf<[]>().toExtend<Parameters<InfoClient['settings']>>();
  expectTypeOf<[]>().not.toExtend<Parameters<InfoClient['userFills']>>();
  expectTypeOf<[{ user: string }]>().not.toExtend<Parameters<InfoClient['l2Book']>>();
});
