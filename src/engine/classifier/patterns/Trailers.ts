/** Patterns of trailers of a request: courtesies, signatures and format rules. */

import { wish } from "./Wishes.ts"

/** A closing sentence. */
export const trailer = new RegExp(
  `^(?:(?:${wish})[^a-z0-9]{0,12}$|thanks?|thank you|thx|ty\\b|cheers|(?:best|kind|warm)? ?regards|best,|sincerely|sent (?:from|via)|confidential|this (?:e-?mail|message) |it'?s urgent|asap|urgent|please hurry`
    + "|many thanks|much appreciated|have a (?:great|nice|good)|looking forward|let me know|merci|danke|gracias|appreciate|any help|i'd be|i would be|no rush|if anything|tysm|(?:\\()?sent from|disclaimer|deliverable|end of|the (?:answer|reply|result) (?:is|goes|will)|i'?m in a (?:hurry|rush)|p\\.?s\\.?"
    + "|(?:please )?(?:respond|reply|answer|return|output|format|provide|give|present|write)[^.]{0,40}\\b(?:json|markdown|plain text|xml|yaml|between|in english|your (?:final )?answer|the (?:final )?(?:answer|output|result)|html|format|briefly|concisely|in (?:the|my) (?:same )?language)\\b"
    + "|use (?:markdown|plain|bullet)|no (?:preamble|markdown|explanation)|do not (?:add|explain|include|use)|don't (?:add|explain|include|use)|be (?:concise|brief|accurate|precise)|keep it (?:short|brief|simple)|explain briefly"
    + "|take (?:a deep|your time)|max(?:imum)? \\d+ (?:words|tokens)|answer concisely|show only|only (?:output|return|reply)|your (?:answer|response|reply) (?:should|must|will)|make sure|remember (?:to|that)|wrap your|end your"
    + "|you will be (?:penali|tip)|i(?:'ll| will) tip|this is (?:very )?important|ticket |case |ref(?:erence)?\\b.{0,20}\\d|--|__|==|\\*\\*\\*)",
  "i"
)
/** A heading of a section about the output's format, and what such a section mentions. */
export const formatHeading =
  /\n[\s#*=[<-]{0,8}(?:instructions?|output(?: format)?|response(?: format)?|format(?:ting)?|answer format|notes?|rules|reminders?|requirements|constraints on style|style|guidelines|footer|disclaimer)[\s#*:=\]>-]{0,8}\n/gi
export const formatBody = /json|format|markdown|reason|concise|accurate|preamble|tags?\b|confidential|tone|language|polite|answer\b|words/i
