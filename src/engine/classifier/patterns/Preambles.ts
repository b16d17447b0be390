/** Patterns of preambles of a request: greetings, personas of system prompts and their rules. */

import { wish } from "./Wishes.ts"

/** What a preamble's paragraph must not contain if all of it is dropped: a sentence that asks for work. */
export const workVerb = new RegExp(
  "(?:^|[.!?:]\\s)(?:please |now |then )?(?:write|summari|translat|extract|list|classif|compose|explain|solve|calculate|find|generate|rewrite|implement|create"
    + "|identify|convert|introduce|imagine|describe|answer the|read the|tell|label|fix|given|determine|decide|using the|based on)",
  "i"
)
/** A sentence that says who the assistant is. */
export const persona = new RegExp(
  "^(?:you are (?!given|asked|to |tasked|running|writing|on |in )|you (?:work|serve|help|assist|support) (?:for|at|as|in|customers|users|staff|people)\\b|you're (?!given)|act as an? |as an? (?:ai|assistant|helpful|large)"
    + "|your (?:role|name|job) is|system\\b|role\\W|this is an? (?:automated|internal)|welcome to|i want you to act as an? "
    + "|this assistant|the assistant|assume the role|internal use|instructions for|below is an instruction|the following is a c|company (?:policy|profile)|about us|our company)",
  "i"
)
/** A sentence that says how the assistant behaves. */
export const rule = new RegExp(
  "^(?:you (?:are|have|will|must|should|can|may|work|help|never|always|do not|don't|serve|speak|answer|reply)\\b"
    + "|your (?:role|job|name|goal|tone|answers|replies|user|task is to (?:help|assist)|audience)|act as|behave|always\\b|never\\b|do not\\b|don't\\b"
    + "|be (?:brief|polite|concise|kind|friendly|precise|accurate|helpful|honest|careful|professional|formal|clear)|keep (?:answers|your|the|replies|responses|a )"
    + "|follow\\b|avoid\\b|refuse\\b|respond\\b|reply (?:in|with|only|politely)|answer (?:in|concisely|briefly|only|politely|as|accurately|customers|staff|truthfully)"
    + "|use (?:a |metric|plain|british|markdown|short|our|the company|simple|neutral|the tools?)|if (?:you|unsure|in doubt|the user|asked|something|a request)|the (?:user|assistant|current|company|customer)\\b"
    + "|today|current|knowledge|please be|as an? |we (?:are|value|sell|have)|our\\b|this (?:assistant|chat|conversation|system|is)|assume|speak|stay|make sure"
    + "|think before|mention|maintain|ensure|prefer|cite|protect|escalate|write a response that|a chat between|only (?:answer|use|reply)|no (?:emoji|slang|legal|medical)|remember|treat|rules?\\W|guidelines|tone\\W|policy|confidential|safety)",
  "i"
)
/** A greeting, a courtesy or a filler at the start. */
export const greeting = new RegExp(
  "^(?:hi|hello|hey|hiya|yo|dear|good (?:morning|afternoon|evening|day)|greetings|hallo|hola|bonjour|ciao|guten tag|moin|sup)"
    + "\\b[^.!?,:;]{0,30}[.!?,:;]+\\s*"
    + "|^(?:(?:i )?hope (?:you|this|all)[^.!?]{0,60}[.!?]+|hope you[^.!?]{0,40}[.!?]+|quick (?:one|question)[^\\w]{0,4}(?:for you)?[:,.!-]+|(?:sorry|apologies) [^.!?]{0,60}[.!?]+"
    + "|ok(?:ay)? so,?|so,? |ugh,?|lol,?|pls |plz |yo,? |btw,? |fyi,? |omg[^\\w]{0,4}|basically |i (?:need|want) this (?:for|by)[^.!?:]{0,40}[.!?:]+|please see [^.!?]{0,80}[.!?]+|(?:this|it) is for (?:my|our|an?) [^.!?:]{0,60}[.!?:]+|my (?:manager|boss|teacher|client|colleague)[^.!?:]{0,60}[.!?:]+|not urgent[^.!?:]{0,60}[.!?:]+|i asked [^.!?:]{0,80}[.!?:]+|follow[- ]up [^.!?:\n]{0,60}[.!?:\n]+|as discussed[^.!?:]{0,80}[.!?:]+|context about me[^\n]{0,120}\n|(?:kinda|kind of) stuck[^.!?:—]{0,20}[.!?:—]+|when you (?:have|get)[^.!?:,]{0,40}[.!?:,]+|not sure if [^.!?:]{0,60}[.!?:]+|first time [^.!?:]{0,40}[.!?:]+|need (?:some |ur |your )?help (?:real quick|plz|pls|here)?[.!:,-]+)\\s*"
    + `|^(?:${wish})(?:\\s*[.!?,:\\n]+\\s*| (?=and ))(?:(?:and|then|so) )*`,
  "i"
)
