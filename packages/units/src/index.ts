export * from './assert.ts';
export * from './decimal.ts';
export * from './division.ts';
export * from './format-money.ts';
export * from './quantity.ts';
