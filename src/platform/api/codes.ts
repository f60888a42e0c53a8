/** The platform's error codes that this server reacts to (json-api 10.3). `PlatformFailure.has` accepts any other number too. */
export const CODES = {
  objectMissing: 1021,
  objectInUse: 1028,
  /** Comes with 429. A repeat makes it worse. */
  tooManyFailedLogins: 1048,
  rateLimit: 1049,
  authenticationFailed: 1056,
  syncIdMissing: 1057,
  changedMeanwhile: 1065,
  parallelLimit: 1073,
  maintenance: 1074,
  /** The platform has ended a mass write after five minutes. */
  massWriteTooLong: 1088,
  temporarilyUnavailable: 1095,
  fieldRequired: 3000,
  notUnique: 3006,
  planForbids: 47_000,
} as const;
