# Rscript mixed-models.R data.csv answers.json: lme4 and ordinal on the trial of tests/scenes/mixed_data.py.
# Debian: r-base-core r-cran-lme4 r-cran-ordinal r-cran-jsonlite
suppressMessages({library(lme4); library(ordinal); library(jsonlite)})
words <- commandArgs(trailingOnly = TRUE)
data <- read.csv(words[1], stringsAsFactors = TRUE)
data$answer <- factor(data$answer, ordered = TRUE)
# the default tolerance of 1e-7 leaves crossed models some .001 short of their best log-likelihood
control <- glmerControl(optimizer = "bobyqa", optCtrl = list(maxfun = 1e5, rhoend = 1e-8), tolPwrss = 1e-12)
names_of <- c("(Intercept)", "managerS1", "acousticsA1", "order", "managerS1:acousticsA1")

told <- function(model) {
  deviations <- sapply(VarCorr(model), function(one) attr(one, "stddev")[[1]])
  list(effects = unname(fixef(model)[names_of]), errors = unname(sqrt(diag(as.matrix(vcov(model))))[names_of]),
       deviations = as.list(deviations), log_likelihood = as.numeric(logLik(model)))
}
ordered_told <- function(model) {
  at <- names_of[-1]
  list(effects = unname(model$beta[at]), errors = unname(sqrt(diag(vcov(model)))[at]),
       thresholds = unname(model$alpha), deviations = lapply(VarCorr(model), function(one) sqrt(one[1])),
       log_likelihood = as.numeric(logLik(model)))
}
# success over both acoustics as they occur, S1 less S0, averaged over everybody; its error by the delta method
averaged <- function(model) {
  rate <- function(parameters) {
    k <- length(getME(model, "theta")); spread <- sqrt(sum(parameters[1:k]^2)); beta <- parameters[-(1:k)]
    mean_at <- function(manager) {
      changed <- data; changed$manager <- factor(manager, levels = levels(data$manager))
      eta <- model.matrix(~ manager * acoustics + order, changed)[, names(fixef(model))] %*% beta
      mean(sapply(eta, function(one) integrate(function(b) plogis(one + spread * b) * dnorm(b), -8, 8,
                                               rel.tol = 1e-9)$value))
    }
    mean_at("S1") - mean_at("S0")
  }
  at <- c(getME(model, "theta"), fixef(model)); step <- 1e-4
  slope <- sapply(seq_along(at), function(i) {
    move <- replace(numeric(length(at)), i, step); (rate(at + move) - rate(at - move)) / (2 * step)
  })
  covariance <- 2 * solve(model@optinfo$derivs$Hessian)
  list(difference = rate(at), error = sqrt(as.numeric(t(slope) %*% covariance %*% slope)))
}
fixed <- "success ~ manager * acoustics + order"
one <- glmer(as.formula(paste(fixed, "+ (1|participant)")), data, binomial, control, nAGQ = 25)
crossed <- glmer(as.formula(paste(fixed, "+ (1|participant) + (1|task)")), data, binomial, control)
fewer <- glmer(success ~ manager + acoustics + order + (1|participant) + (1|task), data, binomial, control)
linear <- lmer(duration ~ manager * acoustics + order + (1|participant) + (1|task), data)
counted <- glmer(turns ~ manager * acoustics + order + (1|participant) + (1|task), data, poisson, control)
answer_one <- clmm(answer ~ manager * acoustics + order + (1|participant), data, nAGQ = 15)
answer_crossed <- clmm(answer ~ manager * acoustics + order + (1|participant) + (1|task), data)
answers <- list(
  rows = nrow(data), versions = list(R = R.version.string, lme4 = as.character(packageVersion("lme4")),
                                     ordinal = as.character(packageVersion("ordinal"))),
  rate_one = c(told(one), averaged(one)), rate_crossed = c(told(crossed), averaged(crossed)),
  interaction = list(chi2 = anova(fewer, crossed)$Chisq[2], p = anova(fewer, crossed)$`Pr(>Chisq)`[2]),
  mean_crossed = c(told(linear), residual = sigma(linear)), count_crossed = told(counted),
  answer_one = ordered_told(answer_one), answer_crossed = ordered_told(answer_crossed)
)
write(toJSON(answers, auto_unbox = TRUE, digits = 10, pretty = TRUE), words[2])
