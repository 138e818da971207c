import { type DatabaseConnection, PostgresDialect, PostgresDriver, type TransactionSettings } from 'kysely';

/** Kysely's dialect, with a BEGIN that costs no round trip. The pool's clients must be in pipeline mode. */
export class PipelineDialect extends PostgresDialect {
  readonly #config: ConstructorParameters<typeof PostgresDialect>[0];

  constructor(config: ConstructorParameters<typeof PostgresDialect>[0]) {
    super(config);
    this.#config = config;
  }

  override createDriver(): PostgresDriver {
    return new PipelineDriver(this.#config);
  }
}

class PipelineDriver extends PostgresDriver {
  /**
   * Sends BEGIN without waiting for the result, which saves a round trip. `prepared.ts` destroys a connection whose BEGIN fails.
   */
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    super.beginTransaction(connection, settings).catch(() => {});
  }
}
