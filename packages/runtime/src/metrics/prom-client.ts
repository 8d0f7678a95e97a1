/**
 * The parts of prom-client that are used. Its root loads a push gateway, a cluster, statistics of the process and OpenTelemetry along: 8 MiB.
 */
import type * as client from 'prom-client';
import counter from 'prom-client/lib/counter.js';
import gauge from 'prom-client/lib/gauge.js';
import histogram from 'prom-client/lib/histogram.js';
import registry from 'prom-client/lib/registry.js';

export const Counter = counter;
export type Counter<Label extends string = string> = client.Counter<Label>;
export const Gauge = gauge;
export type Gauge<Label extends string = string> = client.Gauge<Label>;
export const Histogram = histogram;
export type Histogram<Label extends string = string> = client.Histogram<Label>;
export const Registry = registry;
export type Registry = client.Registry;
